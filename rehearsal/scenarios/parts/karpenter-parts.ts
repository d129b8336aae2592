/** Karpenter in a scenario: its CRDs, its Deployment, node classes, pools and the nodes that it has launched. */
import { launchClaim } from '../../controllers/karpenter/claims.ts';
import { resolveNodeClass } from '../../controllers/karpenter/node-classes.ts';
import { amiById, type AmiFamily } from '../../aws/eks/nodes/amis.ts';
import { setCondition } from '../../controllers/conditions.ts';
import type { World } from '../../world/world.ts';
import { addBudget } from './cluster-parts.ts';
import { addDefinition } from './definition-parts.ts';
import { karpenterPolicy } from './karpenter-policies.ts';

export const KARPENTER_DEFINITIONS = [
  { group: 'karpenter.sh', plural: 'nodepools', kind: 'NodePool' },
  { group: 'karpenter.sh', plural: 'nodeclaims', kind: 'NodeClaim' },
  { group: 'karpenter.k8s.aws', plural: 'ec2nodeclasses', kind: 'EC2NodeClass' },
];

/** As amiFamily names them. */
const FAMILIES: Record<AmiFamily, string> = { al2: 'AL2', al2023: 'AL2023', bottlerocket: 'Bottlerocket' };

/** Helm's marks on the definitions. */
export const OF_CHART = { 'meta.helm.sh/release-name': 'karpenter-crd', 'meta.helm.sh/release-namespace': 'kube-system' };

/** The marks of Argo CD, which delivers Karpenter in most scenarios. */
const OF_ARGO_CD = { 'argocd.argoproj.io/tracking-id': 'karpenter:apps/Deployment:kube-system/karpenter' };

/** The controller runs on the node group's nodes, as in the seeds. `annotations`: the marks of who delivers it; by default Argo CD. */
export function addKarpenter(
  world: World,
  options: {
    version: string;
    nodeGroup: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
    /** The definitions are there already. */
    defined?: boolean;
  },
): void {
  for (const { group, plural, kind } of options.defined === true ? [] : KARPENTER_DEFINITIONS) {
    addDefinition(world, {
      group,
      plural,
      kind,
      scope: 'Cluster',
      annotations: { 'controller-gen.kubebuilder.io/version': 'v0.16.5' },
    });
  }
  const selector = { 'app.kubernetes.io/name': 'karpenter', 'app.kubernetes.io/instance': 'karpenter' };
  world.store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'karpenter',
      namespace: 'kube-system',
      labels: {
        ...selector,
        'app.kubernetes.io/version': options.version,
        'app.kubernetes.io/managed-by': 'Helm',
        'helm.sh/chart': `karpenter-${options.version}`,
        ...options.labels,
      },
      annotations: options.annotations ?? OF_ARGO_CD,
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: selector },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: '25%' } },
      template: {
        metadata: { labels: selector },
        spec: {
          nodeSelector: { 'eks.amazonaws.com/nodegroup': options.nodeGroup },
          tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
          containers: [
            {
              name: 'controller',
              image: `public.ecr.aws/karpenter/controller:${options.version}`,
              env: [{ name: 'CLUSTER_NAME', value: world.eks.cluster.name }],
              resources: { requests: { cpu: '500m', memory: '512Mi' } },
            },
          ],
        },
      },
    },
  });
  addBudget(world, { namespace: 'kube-system', name: 'karpenter', labels: selector, spec: { maxUnavailable: 1 } });
}

/** The role of the controller, by IRSA or by Pod Identity, with what its policies allow; `policy`: the API for which it has Karpenter's own. */
export function addControllerRole(
  world: World,
  { allows, by, policy }: { allows: string[]; by: 'irsa' | 'pod-identity'; policy?: 'v1beta1' | 'v1' },
): void {
  const { account, name } = world.eks.cluster;
  const arn = `arn:aws:iam::${account}:role/karpenter-${name}`;
  const association = { id: 'a-karpenter0000001', namespace: 'kube-system', serviceAccount: 'karpenter' };
  const policies = policy === undefined ? [] : [{ name: `karpenter-${policy}`, document: karpenterPolicy(policy, world.eks.cluster) }];
  world.eks.controllerRoles.push({ arn, allows, policies, ...(by === 'irsa' ? {} : { association }) });
  world.store.create('serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name: 'karpenter',
      namespace: 'kube-system',
      ...(by === 'irsa' ? { annotations: { 'eks.amazonaws.com/role-arn': arn } } : {}),
    },
  });
  world.store.update('deployments', 'karpenter', 'kube-system', (copy) => {
    copy.spec.template.spec.serviceAccountName = 'karpenter';
  });
}

/** As the chart karpenter-crd leaves the definitions behind, and as the API server counts them. */
export function adoptDefinitions(world: World, version: string): void {
  for (const { group, plural } of KARPENTER_DEFINITIONS) {
    world.store.update('customresourcedefinitions', `${plural}.${group}`, undefined, (copy) => {
      copy.metadata.labels = { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/version': version };
      copy.metadata.annotations = { ...copy.metadata.annotations, ...OF_CHART };
      copy.status = { ...copy.status, storedVersions: ['v1'] };
    });
  }
}

/** `amiId` instead of an alias: one image for good. `argocd`: Argo CD's mark is on it. */
export function addNodeClass(
  world: World,
  options: { name: string; karpenter: string; argocd?: boolean } & ({ alias: string } | { amiId: string }),
): void {
  const created = world.store.create('ec2nodeclasses', {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: {
      name: options.name,
      annotations: {
        'karpenter.k8s.aws/ec2nodeclass-hash': '5763643673275251833',
        'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v4',
        ...(options.argocd ? { 'argocd.argoproj.io/tracking-id': `karpenter:karpenter.k8s.aws/EC2NodeClass:/${options.name}` } : {}),
      },
    },
    spec: {
      // Needed beside ids, where no alias names the family.
      ...('alias' in options ? {} : { amiFamily: FAMILIES[amiById(options.amiId)?.family ?? 'al2023'] }),
      amiSelectorTerms: ['alias' in options ? { alias: options.alias } : { id: options.amiId }],
      role: `eks-node-${world.eks.cluster.name}`,
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': world.eks.cluster.name } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': world.eks.cluster.name } }],
      metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required', httpPutResponseHopLimit: 1 },
    },
  });
  resolveNodeClass(world, created, options.karpenter);
}

/** A pool with its nodes Ready. `budgets` undefined: the field is left out. `argocd`: Argo CD heals it, budgets included. */
export function addNodePool(
  world: World,
  options: {
    name: string;
    nodeClass: string;
    nodes: number;
    budgets?: Record<string, unknown>[];
    /** Default: thirty days. */
    expireAfter?: string;
    /** Default: 1000 cores. */
    limits?: Record<string, string>;
    argocd?: boolean;
  },
): void {
  const pool = world.store.create('nodepools', {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: options.name,
      annotations: {
        'karpenter.sh/nodepool-hash': '3243005398540344161',
        'karpenter.sh/nodepool-hash-version': 'v3',
        ...(options.argocd ? { 'argocd.argoproj.io/tracking-id': `karpenter:karpenter.sh/NodePool:/${options.name}` } : {}),
      },
    },
    spec: {
      template: {
        metadata: { labels: { team: options.name } },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: options.nodeClass },
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
          expireAfter: options.expireAfter ?? '720h',
        },
      },
      limits: options.limits ?? { cpu: '1000' },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '5m',
        ...(options.budgets === undefined ? {} : { budgets: options.budgets }),
      },
    },
  });
  world.store.update('nodepools', options.name, undefined, (copy) => {
    for (const type of ['Ready', 'ValidationSucceeded', 'NodeClassReady', 'NodeRegistrationHealthy'])
      setCondition(world, copy, type, 'True');
  });
  for (let index = 0; index < options.nodes; index += 1) launchClaim(world, pool, { ready: true });
}
