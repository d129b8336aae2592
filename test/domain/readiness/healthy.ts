/** Evidence of a cluster at 1.32 that is ready for 1.33: nothing to find. Tests plant one defect each. */
import type { Context } from '../../../domain/readiness/model/check.ts';
import type {
  AnonymousBinding,
  Evidence,
  IstioSeen,
  KarpenterSeen,
  NodeClassSeen,
  NodePoolSeen,
  NodeSeen,
  RoleSeen,
  Seen,
  Shape,
} from '../../../domain/readiness/model/evidence.ts';
import type { SourceId } from '../../../domain/readiness/model/sources.ts';
import type { BudgetSeen, PodSeen, ServiceSeen, WorkloadSeen } from '../../../domain/readiness/model/evidence-workloads.ts';

const NOW = '2025-11-01T00:00:00Z';
const MINORS = ['1.32', '1.33', '1.34', '1.35', '1.36'];

export const CONTEXT: Context = {
  from: { major: 1, minor: 32 },
  target: { major: 1, minor: 33 },
  hops: [{ major: 1, minor: 33 }],
  now: NOW,
  environment: 'production',
  managedBy: { karpenter: 'flux' },
};

export const node = (over: Partial<NodeSeen> = {}): NodeSeen => ({
  name: 'node-1',
  kubelet: 'v1.32.3-eks-1',
  runtime: 'containerd://2.1.4',
  osImage: 'Amazon Linux 2023',
  owner: 'karpenter',
  zone: 'eu-west-1a',
  ready: true,
  createdAt: '2025-10-20T00:00:00Z',
  ...over,
});

export const workload = (over: Partial<WorkloadSeen> = {}): WorkloadSeen => ({
  kind: 'Deployment',
  namespace: 'shop',
  name: 'cart',
  replicas: 3,
  minReadySeconds: 10,
  podLabels: { app: 'cart' },
  spread: 'over-zones',
  containers: [{ name: 'cart', image: 'registry.example.com/cart:4.2', readinessProbe: true }],
  hostPaths: [],
  gitRepo: false,
  appArmorAnnotations: false,
  claims: [],
  ...over,
});

export const pod = (over: Partial<PodSeen> = {}): PodSeen => ({
  namespace: 'shop',
  name: 'cart-1',
  phase: 'Running',
  node: 'node-1',
  labels: { app: 'cart' },
  controller: { kind: 'ReplicaSet', name: 'cart-5d4' },
  createdAt: '2025-10-20T00:00:00Z',
  claims: [],
  ...over,
});

export const budget = (over: Partial<BudgetSeen> = {}): BudgetSeen => ({
  namespace: 'shop',
  name: 'cart',
  selector: { matchLabels: { app: 'cart' } },
  maxUnavailable: 1,
  expectedPods: 3,
  disruptionsAllowed: 1,
  ...over,
});

export const service = (over: Partial<ServiceSeen> = {}): ServiceSeen => ({
  namespace: 'security',
  name: 'policy',
  externalIps: false,
  handWritten: false,
  external: false,
  ready: 2,
  ...over,
});

export const role = (over: Partial<RoleSeen> = {}): RoleSeen => ({
  kind: 'ClusterRole',
  name: 'debugger',
  rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] }],
  ...over,
});

export const anonymous = (over: Partial<AnonymousBinding> = {}): AnonymousBinding => ({
  kind: 'ClusterRoleBinding',
  name: 'everybody',
  role: 'ClusterRole view',
  subjects: ['system:unauthenticated'],
  ...over,
});

export const pool = (over: Partial<NodePoolSeen> = {}): NodePoolSeen => ({
  name: 'default',
  nodeClass: 'default',
  ready: true,
  budgets: [{ nodes: '10%' }],
  nodeCount: 2,
  limits: [{ resource: 'cpu', limit: '100', used: '20' }],
  ...over,
});

export const nodeClass = (over: Partial<NodeClassSeen> = {}): NodeClassSeen => ({
  name: 'default',
  ready: true,
  alias: 'al2023@v20251016',
  aliases: ['al2023@v20251016'],
  amiIds: ['ami-1'],
  amiNames: ['amazon-eks-node-al2023-x86_64-standard-1.32-v20251016'],
  pinned: false,
  ...over,
});

export const karpenter = (over: Partial<KarpenterSeen> = {}): KarpenterSeen => ({
  version: '1.6.2',
  namespace: 'kube-system',
  deployment: 'karpenter',
  nodePools: [pool()],
  nodeClasses: [nodeClass()],
  expiringSoonCount: 0,
  claims: [{ name: 'default-a', pool: 'default', createdAt: '2025-10-31T00:00:00Z', expireAfter: '720h' }],
  oldObjects: [],
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  ...over,
});

export const istio = (over: Partial<IstioSeen> = {}): IstioSeen => ({
  revisions: [{ revision: '1-27', version: '1.27.1', namespace: 'istio-system', ready: true }],
  tags: [],
  namespaces: [{ name: 'shop', mode: 'revision', selector: '1-27', revision: '1-27' }],
  hasCniOrZtunnel: false,
  doubled: [],
  unanswered: [],
  deadWebhooks: [],
  istiods: [{ name: 'istiod-1-27', namespace: 'istio-system', replicas: 2 }],
  bound: [],
  versionedFilters: [],
  ...over,
});

export const definition = (over: Partial<Shape<'definitions'>[number]> = {}): Shape<'definitions'>[number] => ({
  name: 'nodepools.karpenter.sh',
  group: 'karpenter.sh',
  kind: 'NodePool',
  served: ['v1'],
  storage: 'v1',
  storedVersions: ['v1'],
  labels: { 'app.kubernetes.io/version': '1.6.2' },
  annotations: { 'meta.helm.sh/release-name': 'karpenter-crd' },
  ...over,
});

/** One version, by default on every minor. */
const everywhere = (version: string) => Object.fromEntries(MINORS.map((minor) => [minor, [{ version, isDefault: true }]]));

export const addOn = (over: Partial<Shape<'addOns'>[number]> = {}): Shape<'addOns'>[number] => ({
  name: 'coredns',
  version: 'v1.11.4-eksbuild.2',
  status: 'ACTIVE',
  healthIssues: [],
  managed: true,
  offered: everywhere('v1.11.4-eksbuild.2'),
  ...over,
});

export const cluster = (over: Partial<Shape<'cluster'>> = {}): Shape<'cluster'> => ({
  status: 'ACTIVE',
  createdAt: '2024-01-01T00:00:00Z',
  supportType: 'EXTENDED',
  authenticationMode: 'API_AND_CONFIG_MAP',
  logging: ['api', 'audit'],
  autoMode: false,
  role: 'arn:aws:iam::111122223333:role/cluster',
  securityGroups: ['sg-1'],
  healthIssues: [],
  ...over,
});

type Shapes = { [S in SourceId]: Shape<S> };

function healthyShapes(): Shapes {
  return {
    cluster: cluster(),
    versions: MINORS.map((version) => ({
      version,
      status: 'STANDARD_SUPPORT',
      releasedAt: '2025-05-29',
      endOfStandardSupport: '2026-12-01',
    })),
    amiBuilds: [],
    updates: [],
    insights: {
      refreshedAt: NOW,
      insights: [{ name: 'Kubelet version skew', category: 'UPGRADE_READINESS', status: 'PASSING', resources: [], deprecations: [] }],
    },
    nodeGroups: [
      { name: 'system', version: '1.32', amiType: 'AL2023_x86_64_STANDARD', status: 'ACTIVE', healthIssues: [], desiredCount: 3 },
    ],
    fargateProfiles: [],
    addOns: [addOn(), addOn({ name: 'kube-proxy', version: 'v1.32.3-eksbuild.2', offered: everywhere('v1.32.3-eksbuild.2') })],
    addOnConfiguration: [{ name: 'coredns', version: 'v1.12.1-eksbuild.2', unknownKeys: [], edits: [] }],
    subnets: [
      { id: 'subnet-a', zone: 'eu-west-1a', freeIps: 200, uses: ['cluster', 'nodes', 'pods'] },
      { id: 'subnet-b', zone: 'eu-west-1b', freeIps: 200, uses: ['cluster', 'nodes', 'pods'] },
    ],
    securityGroups: [{ id: 'sg-1', present: true }],
    launchTemplates: [{ usedBy: { kind: 'NodeGroup', name: 'system' }, template: 'lt-1', version: '3', latest: '3' }],
    clusterRole: { name: 'cluster', present: true },
    encryptionKey: { id: 'key-1', state: 'Enabled' },
    quotas: ['L-1216C47A', 'L-D18FCD1D', 'L-7A658B76'].map((code) => ({ code, name: code, limit: 100, used: 10, unit: 'vCPU' })),
    instanceQuotas: [],
    apiMetrics: [],
    nodes: [node(), node({ name: 'node-2' })],
    pods: [pod({ proxy: { revision: '1-27', version: '1.27.1' } })],
    workloads: [workload()],
    budgets: [
      budget(),
      budget({ namespace: 'istio-system', name: 'istiod-1-27', selector: { matchLabels: { app: 'istiod' } }, expectedPods: 2 }),
    ],
    services: [service()],
    networkPolicies: [{ namespace: 'shop', name: 'from-office' }],
    roles: { bound: [], anonymous: [anonymous({ role: 'ClusterRole system:public-info-viewer' })] },
    webhooks: [
      {
        kind: 'ValidatingWebhookConfiguration',
        configuration: 'policy',
        name: 'policy.example.com',
        failurePolicy: 'Fail',
        service: { namespace: 'security', name: 'policy' },
        catches: ['pods'],
      },
    ],
    aggregatedApis: [{ name: 'v1beta1.metrics.k8s.io', available: true }],
    definitions: [definition()],
    volumes: [{ name: 'pv-1', claim: { namespace: 'shop', name: 'data' }, zones: ['eu-west-1a'], accessModes: ['ReadWriteOnce'] }],
    csiDrivers: [{ name: 'ebs.csi.aws.com', seLinuxMount: true }],
    kubeProxy: { mode: 'iptables' },
    apiObjects: [],
    helmReleases: [],
    karpenter: karpenter(),
    istio: istio(),
    gitOps: [
      { kind: 'HelmRelease', namespace: 'flux-system', name: 'karpenter', chart: 'karpenter', version: '1.6.2', range: false, by: 'flux' },
    ],
  };
}

/** Everything was seen; `over` replaces what single sources show. */
export function evidence(over: Partial<Shapes> = {}): Evidence {
  const shapes = { ...healthyShapes(), ...over };
  return Object.fromEntries(
    Object.entries(shapes).map(([id, value]): [string, Seen<unknown>] => [id, { ok: true, value }]),
  ) as unknown as Evidence;
}

/** As `evidence`, without these sources. */
export function blindTo(ids: readonly SourceId[], kind: 'denied' | 'failed' | 'off' = 'denied'): Evidence {
  const unseen: Seen<never> = { ok: false, unseen: { kind, why: 'the server said no.' } };
  return { ...evidence(), ...Object.fromEntries(ids.map((id) => [id, unseen])) };
}
