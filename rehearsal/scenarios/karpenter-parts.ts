/** Karpenter in a scenario: its CRDs, its Deployment, node classes, pools and the nodes that it has launched. */
import { launchClaim } from '../controllers/karpenter/claims.ts';
import { resolveNodeClass } from '../controllers/karpenter/node-classes.ts';
import { setCondition } from '../controllers/conditions.ts';
import type { World } from '../world/world.ts';
import { addBudget } from './cluster-parts.ts';
import { addDefinition } from './definition-parts.ts';

export const KARPENTER_DEFINITIONS = [
  { group: 'karpenter.sh', plural: 'nodepools', kind: 'NodePool' },
  { group: 'karpenter.sh', plural: 'nodeclaims', kind: 'NodeClaim' },
  { group: 'karpenter.k8s.aws', plural: 'ec2nodeclasses', kind: 'EC2NodeClass' },
];

/** Helm's marks on the definitions. */
export const OF_CHART = { 'meta.helm.sh/release-name': 'karpenter-crd', 'meta.helm.sh/release-namespace': 'kube-system' };

/** The controller runs on the node group's nodes, as in the seeds. */
export function addKarpenter(world: World, options: { version: string; nodeGroup: string }): void {
  for (const { group, plural, kind } of KARPENTER_DEFINITIONS) {
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
      },
      annotations: { 'argocd.argoproj.io/tracking-id': 'karpenter:apps/Deployment:kube-system/karpenter' },
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

/** `amiId` instead of an alias: one image for good. */
export function addNodeClass(world: World, options: { name: string; karpenter: string } & ({ alias: string } | { amiId: string })): void {
  const created = world.store.create('ec2nodeclasses', {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: {
      name: options.name,
      annotations: { 'karpenter.k8s.aws/ec2nodeclass-hash': '5763643673275251833', 'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v4' },
    },
    spec: {
      amiSelectorTerms: ['alias' in options ? { alias: options.alias } : { id: options.amiId }],
      role: `eks-node-${world.eks.cluster.name}`,
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': world.eks.cluster.name } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': world.eks.cluster.name } }],
      metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required', httpPutResponseHopLimit: 1 },
    },
  });
  resolveNodeClass(world, created, options.karpenter);
}

/** A pool with its nodes Ready. `budgets` undefined: the field is left out. */
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
  },
): void {
  const pool = world.store.create('nodepools', {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: options.name,
      annotations: { 'karpenter.sh/nodepool-hash': '3243005398540344161', 'karpenter.sh/nodepool-hash-version': 'v3' },
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
