/** Where checks look, and the least that each look needs to be permitted: `belay check --permissions` prints the sum. */

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
  rbac?: readonly RbacRule[];
  /** Needs more than the base roles: granted by a role of its own, off by default. */
  optional?: true;
}

const list = (apiGroup: string, ...resources: string[]): RbacRule => ({ apiGroups: [apiGroup], resources, verbs: ['list'] });

const get = (apiGroup: string, ...resources: string[]): RbacRule => ({ apiGroups: [apiGroup], resources, verbs: ['get'] });

/** Add-ons that EKS does not manage are recognised by their workloads. */
const SELF_MANAGED = [get('apps', 'deployments', 'daemonsets')];

export const SOURCES = {
  cluster: { what: 'the cluster', iam: ['eks:DescribeCluster'] },
  versions: { what: 'the versions that EKS offers', iam: ['eks:DescribeClusterVersions'] },
  updates: { what: 'updates of the cluster', iam: ['eks:ListUpdates', 'eks:DescribeUpdate'] },
  insights: {
    what: 'EKS insights',
    iam: ['eks:ListInsights', 'eks:DescribeInsight', 'eks:StartInsightsRefresh', 'eks:DescribeInsightsRefresh'],
  },
  nodeGroups: { what: 'node groups', iam: ['eks:ListNodegroups', 'eks:DescribeNodegroup'] },
  fargateProfiles: { what: 'Fargate profiles', iam: ['eks:ListFargateProfiles', 'eks:DescribeFargateProfile'] },
  addOns: {
    what: 'add-ons',
    iam: ['eks:ListAddons', 'eks:DescribeAddon', 'eks:DescribeAddonVersions'],
    rbac: SELF_MANAGED,
  },
  addOnConfiguration: {
    what: 'the configuration that add-on versions accept',
    iam: ['eks:DescribeAddonConfiguration'],
    rbac: SELF_MANAGED,
  },
  subnets: {
    what: 'subnets',
    iam: ['ec2:DescribeSubnets'],
    rbac: [list('crd.k8s.amazonaws.com', 'eniconfigs'), list('karpenter.k8s.aws', 'ec2nodeclasses')],
  },
  securityGroups: { what: 'security groups', iam: ['ec2:DescribeSecurityGroups'] },
  launchTemplates: { what: 'launch templates', iam: ['ec2:DescribeLaunchTemplates'] },
  autoScalingGroups: { what: 'Auto Scaling groups', iam: ['autoscaling:DescribeAutoScalingGroups'] },
  clusterRole: { what: 'the IAM role of the cluster', iam: ['iam:GetRole'] },
  encryptionKey: { what: 'the KMS key of the cluster', iam: ['kms:DescribeKey'] },
  quotas: {
    what: 'service quotas and what is used of them',
    iam: ['servicequotas:GetServiceQuota', 'ec2:DescribeInstances', 'ec2:DescribeVolumes'],
  },
  apiServer: { what: 'the API server’s version', rbac: [{ nonResourceURLs: ['/version', '/readyz'], verbs: ['get'] }] },
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
  webhooks: {
    what: 'admission webhooks',
    rbac: [list('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations')],
  },
  aggregatedApis: { what: 'aggregated APIs', rbac: [list('apiregistration.k8s.io', 'apiservices')] },
  definitions: { what: 'CustomResourceDefinitions', rbac: [list('apiextensions.k8s.io', 'customresourcedefinitions')] },
  volumes: {
    what: 'volumes',
    rbac: [list('', 'persistentvolumes', 'persistentvolumeclaims'), list('storage.k8s.io', 'volumeattachments')],
  },
  namespaces: { what: 'namespaces', rbac: [list('', 'namespaces')] },
  kubeProxy: {
    what: 'kube-proxy’s configuration',
    rbac: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['kube-proxy-config', 'kube-proxy'], verbs: ['get'] }],
  },
  /** Objects of types with a deprecated version, by metadata alone. */
  apiObjects: {
    what: 'who wrote objects in deprecated API versions',
    rbac: [
      list('networking.k8s.io', 'ingresses'),
      list('autoscaling', 'horizontalpodautoscalers'),
      list('flowcontrol.apiserver.k8s.io', 'flowschemas', 'prioritylevelconfigurations'),
    ],
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
    ],
  },
  istio: {
    what: 'Istio',
    rbac: [
      list('', 'namespaces'),
      get('', 'services'),
      list('apps', 'deployments', 'daemonsets'),
      list('admissionregistration.k8s.io', 'mutatingwebhookconfigurations'),
    ],
  },
  karpenterRole: {
    what: 'the IAM policy of Karpenter’s controller',
    iam: ['iam:GetRole', 'iam:ListAttachedRolePolicies', 'iam:GetPolicyVersion'],
    optional: true,
  },
  gitOps: {
    what: 'GitOps objects',
    rbac: [
      list('helm.toolkit.fluxcd.io', 'helmreleases'),
      list('kustomize.toolkit.fluxcd.io', 'kustomizations'),
      list('source.toolkit.fluxcd.io', 'helmrepositories', 'ocirepositories'),
      list('argoproj.io', 'applications'),
    ],
  },
} as const satisfies Record<string, Source>;

export type SourceId = keyof typeof SOURCES;

/** The sum of what sources need, each action and rule once. Optional ones only where asked for. */
export function permissionsOf(ids: readonly SourceId[], withOptional = false): { iam: string[]; rbac: RbacRule[] } {
  const sources: Source[] = ids.map((id) => SOURCES[id]).filter((source: Source) => withOptional || source.optional !== true);
  const rules = new Map(sources.flatMap(({ rbac = [] }) => rbac).map((rule) => [JSON.stringify(rule), rule]));
  return { iam: [...new Set(sources.flatMap(({ iam = [] }) => iam))].toSorted(), rbac: [...rules.values()] };
}
