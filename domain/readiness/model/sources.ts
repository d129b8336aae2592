/** Where checks look, and the least that each look needs to be permitted: `belay check --permissions` prints the sum. */
import { STORED_TYPES } from '../../tables/stored-types.ts';

/** A rule of a ClusterRole. */
export interface RbacRule {
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
  verbs: readonly string[];
}

export interface Source {
  /** What is read, as a sentence goes on after "could not be read:". */
  what: string;
  /** Actions of an IAM policy. */
  iam?: readonly string[];
  /** Further actions with which less has to be read; without them nothing is missing. */
  quicker?: readonly string[];
  rbac?: readonly RbacRule[];
  /** Needs more than the base roles: granted by a role of its own, off by default. */
  optional?: true;
}

const list = (apiGroup: string, ...resources: string[]): RbacRule => ({ apiGroups: [apiGroup], resources, verbs: ['list'] });
const get = (apiGroup: string, ...resources: string[]): RbacRule => ({ apiGroups: [apiGroup], resources, verbs: ['get'] });

const NODE_GROUPS = ['eks:ListNodegroups', 'eks:DescribeNodegroup'];
const FARGATE = ['eks:ListFargateProfiles', 'eks:DescribeFargateProfile'];
const ADD_ONS = ['eks:ListAddons', 'eks:DescribeAddon', 'eks:DescribeAddonVersions'];
/** Add-ons that EKS does not manage are recognised by their workloads. */
const SELF_MANAGED = [get('apps', 'deployments', 'daemonsets')];
/** What EC2 publishes of its quotas, in place of instances. */
const USAGE = ['cloudwatch:GetMetricData'];

export const SOURCES = {
  cluster: { what: 'the cluster', iam: ['eks:DescribeCluster'] },
  versions: { what: 'the versions that EKS offers', iam: ['eks:DescribeClusterVersions'] },
  updates: { what: 'updates of the cluster', iam: ['eks:ListUpdates', 'eks:DescribeUpdate'] },
  insights: {
    what: 'EKS insights',
    iam: ['eks:ListInsights', 'eks:DescribeInsight', 'eks:StartInsightsRefresh', 'eks:DescribeInsightsRefresh'],
  },
  nodeGroups: { what: 'node groups', iam: NODE_GROUPS },
  fargateProfiles: { what: 'Fargate profiles', iam: FARGATE },
  addOns: { what: 'add-ons', iam: ADD_ONS, rbac: SELF_MANAGED },
  addOnConfiguration: {
    what: 'the configuration of add-ons',
    iam: [...ADD_ONS, 'eks:DescribeAddonConfiguration'],
    rbac: SELF_MANAGED,
  },
  /** Those of node groups and Fargate profiles, of node classes and of custom networking beside the cluster's own. */
  subnets: {
    what: 'subnets',
    iam: ['ec2:DescribeSubnets', ...NODE_GROUPS, ...FARGATE],
    rbac: [list('crd.k8s.amazonaws.com', 'eniconfigs'), list('karpenter.k8s.aws', 'ec2nodeclasses')],
  },
  securityGroups: { what: 'security groups', iam: ['ec2:DescribeSecurityGroups'] },
  launchTemplates: {
    what: 'launch templates',
    iam: ['ec2:DescribeLaunchTemplates', 'autoscaling:DescribeAutoScalingGroups', ...NODE_GROUPS],
  },
  clusterRole: { what: 'the IAM role of the cluster', iam: ['iam:GetRole'] },
  encryptionKey: { what: 'the KMS key of the cluster', iam: ['kms:DescribeKey'] },
  quotas: {
    what: 'service quotas and what is used of them',
    iam: ['servicequotas:GetServiceQuota', 'ec2:DescribeInstances', 'ec2:DescribeVolumes'],
    quicker: USAGE,
  },
  instanceQuotas: {
    what: 'quotas of Spot and accelerated instances',
    iam: ['servicequotas:GetServiceQuota', 'ec2:DescribeInstances'],
    quicker: USAGE,
    rbac: [list('', 'nodes')],
  },
  /** SSM's public parameters, for the aliases of node classes. */
  amiBuilds: {
    what: 'the node images that Amazon publishes',
    iam: ['ssm:GetParameter'],
    rbac: [list('karpenter.k8s.aws', 'ec2nodeclasses')],
  },
  apiMetrics: { what: 'the API server’s metrics', rbac: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
  nodes: { what: 'nodes', rbac: [list('', 'nodes')] },
  pods: { what: 'pods', rbac: [list('', 'pods')] },
  workloads: {
    what: 'workloads',
    rbac: [
      list('apps', 'deployments', 'statefulsets', 'daemonsets', 'replicasets'),
      list('', 'replicationcontrollers'),
      list('batch', 'jobs', 'cronjobs'),
    ],
  },
  budgets: { what: 'PodDisruptionBudgets', rbac: [list('policy', 'poddisruptionbudgets')] },
  services: { what: 'Services and their endpoints', rbac: [list('', 'services'), list('discovery.k8s.io', 'endpointslices')] },
  networkPolicies: { what: 'NetworkPolicies', rbac: [list('networking.k8s.io', 'networkpolicies')] },
  roles: {
    what: 'roles and their bindings',
    rbac: [list('rbac.authorization.k8s.io', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings')],
  },
  webhooks: {
    what: 'admission webhooks',
    rbac: [list('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations')],
  },
  aggregatedApis: { what: 'aggregated APIs', rbac: [list('apiregistration.k8s.io', 'apiservices')] },
  definitions: { what: 'CustomResourceDefinitions', rbac: [list('apiextensions.k8s.io', 'customresourcedefinitions')] },
  volumes: {
    what: 'volumes',
    rbac: [list('', 'persistentvolumes'), list('storage.k8s.io', 'volumeattachments')],
  },
  csiDrivers: { what: 'CSI drivers', rbac: [list('storage.k8s.io', 'csidrivers')] },
  kubeProxy: {
    what: 'kube-proxy’s configuration',
    rbac: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['kube-proxy-config', 'kube-proxy'], verbs: ['get'] }],
  },
  /** Objects of types with a deprecated version, by metadata alone. */
  apiObjects: {
    what: 'who wrote objects in deprecated API versions',
    rbac: STORED_TYPES.map(({ group, plural }) => list(group, plural)),
  },
  helmReleases: { what: 'manifests of Helm releases', rbac: [list('', 'secrets')], optional: true },
  karpenter: {
    what: 'Karpenter’s objects',
    rbac: [
      list('', 'nodes'),
      list('apps', 'deployments'),
      get('apps', 'deployments'),
      list('karpenter.sh', 'nodepools', 'nodeclaims', 'provisioners', 'machines'),
      list('karpenter.k8s.aws', 'ec2nodeclasses', 'awsnodetemplates'),
      get('apiextensions.k8s.io', 'customresourcedefinitions'),
    ],
  },
  istio: {
    what: 'Istio',
    rbac: [
      list('', 'namespaces'),
      get('', 'services'),
      list('apps', 'deployments', 'statefulsets', 'daemonsets'),
      list('policy', 'poddisruptionbudgets'),
      list('autoscaling', 'horizontalpodautoscalers'),
      list('gateway.networking.k8s.io', 'gateways', 'gatewayclasses', 'httproutes', 'grpcroutes'),
      list('networking.istio.io', 'destinationrules', 'envoyfilters', 'gateways', 'proxyconfigs', 'serviceentries', 'sidecars'),
      list('networking.istio.io', 'virtualservices', 'workloadentries', 'workloadgroups'),
      list('extensions.istio.io', 'wasmplugins'),
      list('telemetry.istio.io', 'telemetries'),
      list('security.istio.io', 'authorizationpolicies', 'peerauthentications', 'requestauthentications'),
      list('admissionregistration.k8s.io', 'mutatingwebhookconfigurations'),
    ],
  },
  gitOps: {
    what: 'GitOps objects',
    rbac: [
      list('helm.toolkit.fluxcd.io', 'helmreleases'),
      list('source.toolkit.fluxcd.io', 'ocirepositories'),
      list('argoproj.io', 'applications'),
    ],
  },
} as const satisfies Record<string, Source>;

export type SourceId = keyof typeof SOURCES;

export const SOURCE_IDS = Object.keys(SOURCES) as SourceId[];

export function isOptional(id: SourceId): boolean {
  const source: Source = SOURCES[id];
  return source.optional === true;
}

/** The sum of what sources need, each action once, rules of one API group together. Optional ones only where asked for. */
export function permissionsOf(ids: readonly SourceId[], withOptional = false): { iam: string[]; rbac: RbacRule[] } {
  const sources: Source[] = ids.map((id) => SOURCES[id]).filter((source: Source) => withOptional || source.optional !== true);
  const rbac = sources.flatMap((source) => source.rbac ?? []);
  return { iam: [...new Set(sources.flatMap(({ iam = [], quicker = [] }) => [...iam, ...quicker]))].toSorted(), rbac: together(rbac) };
}

/** Rules of one API group and the same verbs as one. */
export function together(all: readonly RbacRule[]): RbacRule[] {
  const groups = Map.groupBy(all, (rule) => JSON.stringify({ ...rule, resources: undefined }));
  return [...groups.values()].map((rules): RbacRule => {
    const resources = rules.flatMap((rule) => rule.resources ?? []);
    return { ...rules[0], verbs: rules[0]?.verbs ?? [], ...(resources.length === 0 ? {} : { resources: [...new Set(resources)] }) };
  });
}

/** Each permission that a source needs, for itself: "eks:ListUpdates", "list on poddisruptionbudgets.policy", "get on /metrics". */
export function permissionNames({ iam = [], rbac = [] }: Source): string[] {
  const rules = rbac.flatMap(({ verbs, apiGroups = [''], resources = [], nonResourceURLs = [] }) => {
    const things = [...apiGroups.flatMap((group) => resources.map((resource) => qualified(resource, group))), ...nonResourceURLs];
    return verbs.flatMap((verb) => things.map((thing) => permissionOn(verb, thing)));
  });
  return [...iam, ...rules];
}

const qualified = (resource: string, group: string): string => (group === '' ? resource : `${resource}.${group}`);
const permissionOn = (verb: string, thing: string): string => `${verb} on ${thing}`;

/** The permission that a server said is missing (IAM's and the Kubernetes authorizer's own words). undefined: it named none. */
export function permissionNamedIn(refusal: string): string | undefined {
  const action = /not authorized to perform: ([\w-]+:\w+)/.exec(refusal)?.[1];
  if (action !== undefined) return action;
  const [, verb = '', resource = '', group = ''] = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(refusal) ?? [];
  if (verb !== '') return permissionOn(verb, qualified(resource, group));
  const [, method = '', path = ''] = /cannot (\w+) path "([^"]+)"/.exec(refusal) ?? [];
  return method === '' ? undefined : permissionOn(method, path);
}
