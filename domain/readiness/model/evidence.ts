/** What was seen of a cluster, slim: only what checks ask for is kept of each object, so that 50,000 pods fit into little memory. */
import type { AmiBuild } from '../../facts/ami-names.ts';
import type { ClusterFacts } from '../../facts/facts.ts';
import type { GitOpsSeen, IstioSeen, KarpenterSeen } from './evidence-components.ts';
import type { SourceId } from './sources.ts';
import type { BudgetSeen, NetworkPolicySeen, PodSeen, ServiceSeen, WorkloadSeen } from './evidence-workloads.ts';

export type { Deliverer } from '../../facts/facts.ts';
export type { GitOpsSeen, IstioSeen, KarpenterSeen, NodeClassSeen, NodePoolSeen } from './evidence-components.ts';

/** Why something was not seen. */
export interface Unseen {
  /** `denied`: a permission is missing. `failed`: a time-out or an error. `off`: optional, and not switched on. `away`: nothing of the server is to be had. */
  kind: 'denied' | 'failed' | 'off' | 'away';
  /** As the server said it, in one sentence; of `away` the whole of it, which all that is asked of the server shares. */
  why: string;
  /** Of `away`: what to do. */
  fix?: string;
}

export type Seen<T> = { ok: true; value: T } | { ok: false; unseen: Unseen };

export interface Insight {
  name: string;
  category: 'UPGRADE_READINESS' | 'MISCONFIGURATION' | 'ROLLBACK_READINESS';
  status: 'PASSING' | 'WARNING' | 'ERROR' | 'UNKNOWN';
  reason?: string;
  kubernetesVersion?: string;
  recommendation?: string;
  resources: string[];
  /** Add-ons whose version does not fit, by name. */
  addOns?: string[];
  deprecations: {
    usage: string;
    replacedWith?: string;
    stopServingVersion?: string;
    clients: { userAgent: string; requests30Days: number; lastRequest?: string }[];
  }[];
}

export interface AddOnConfiguration {
  name: string;
  /** The target's default. undefined: EKS offers none. */
  version?: string;
  /** Keys of the present configuration that the version's schema does not have. undefined: there is no schema to compare with. */
  unknownKeys?: string[];
  /** Workloads of which somebody beside EKS owns fields of the spec. */
  edits: { kind: string; name: string; by: string }[];
}

export interface Subnet {
  id: string;
  zone: string;
  freeIps: number;
  /** EC2 does not have it any more. */
  gone?: true;
  uses: readonly ('cluster' | 'nodes' | 'pods')[];
}

export interface LaunchTemplateUse {
  usedBy: { kind: 'NodeGroup' | 'AutoScalingGroup'; name: string };
  template: string;
  version: string;
  latest: string;
}

export interface Quota {
  code: string;
  name: string;
  limit: number;
  used: number;
  unit: string;
}

/** Of EC2. */
export interface Instance {
  type: string;
  spot: boolean;
  /** Absent where its node says nothing of them. */
  vcpus?: number;
}

export interface NodeSeen {
  name: string;
  kubelet: string;
  /** "containerd://1.7.27" */
  runtime: string;
  osImage: string;
  owner: 'node-group' | 'karpenter' | 'self-managed' | 'fargate' | 'auto-mode' | 'hybrid';
  zone?: string;
  ready: boolean;
  createdAt: string;
  /** Of EC2, as its labels say; not of one in reserved capacity, which is launched there again. */
  instance?: Instance;
}

export interface WebhookSeen {
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  configuration: string;
  name: string;
  failurePolicy: 'Fail' | 'Ignore';
  service?: { namespace: string; name: string };
  /** Pods, nodes or everything: what stops when it does not answer. */
  catches: string[];
}

/** A role that something is bound to, and that names a resource of which a check asks. */
export interface RoleSeen {
  kind: 'Role' | 'ClusterRole';
  namespace?: string;
  name: string;
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

/** What is granted to whoever does not sign in. */
export interface AnonymousBinding {
  kind: 'RoleBinding' | 'ClusterRoleBinding';
  namespace?: string;
  name: string;
  /** "ClusterRole view" */
  role: string;
  /** "system:unauthenticated" */
  subjects: string[];
}

export interface AggregatedApi {
  name: string;
  available: boolean;
  message?: string;
  service?: { namespace: string; name: string };
}

export interface Definition {
  name: string;
  group: string;
  kind: string;
  served: string[];
  storage: string;
  storedVersions: string[];
  /** The Service whose webhook converts between versions; absent: none is asked. */
  convertedBy?: { namespace: string; name: string };
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface VolumeSeen {
  name: string;
  claim?: { namespace: string; name: string };
  zones: string[];
  accessModes: string[];
  /** Of CSI: "ebs.csi.aws.com" */
  driver?: string;
  attachedTo?: string;
  /** It is on a node's own disk: the node's name as its affinity says; empty: which one is not said. */
  onNode?: string;
}

/** A use of an API version that Kubernetes has deprecated; of Helm releases also of custom resources, whose CRD says what is served. */
export interface DeprecatedUse {
  group: string;
  version: string;
  kind: string;
  from: 'metrics' | 'last-applied' | 'managed-fields' | 'helm';
  object?: { namespace?: string; name: string };
  /** managedFields' manager, or the Helm release. */
  writer?: string;
}

/** What each source shows. */
interface Shapes {
  cluster: {
    status: string;
    createdAt: string;
    supportType: 'STANDARD' | 'EXTENDED';
    authenticationMode: string;
    logging: string[];
    autoMode: boolean;
    role: string;
    encryptionKey?: string;
    securityGroups: string[];
    healthIssues: { code: string; message: string; resourceIds: string[] }[];
  };
  versions: ClusterFacts['supportedVersions'];
  amiBuilds: AmiBuild[];
  updates: { id: string; type: string; resource: string }[];
  insights: { refreshedAt: string; insights: Insight[] };
  nodeGroups: ClusterFacts['nodeGroups'];
  fargateProfiles: { name: string; status: string }[];
  addOns: ClusterFacts['addOns'];
  addOnConfiguration: AddOnConfiguration[];
  subnets: Subnet[];
  securityGroups: { id: string; present: boolean }[];
  launchTemplates: LaunchTemplateUse[];
  clusterRole: { name: string; present: boolean };
  encryptionKey: { id: string; state: string } | 'none';
  quotas: Quota[];
  /** Against which the cluster's own instances count, beside that of `quotas`. */
  instanceQuotas: Quota[];
  apiMetrics: DeprecatedUse[];
  nodes: NodeSeen[];
  pods: PodSeen[];
  workloads: WorkloadSeen[];
  budgets: BudgetSeen[];
  services: ServiceSeen[];
  networkPolicies: NetworkPolicySeen[];
  roles: { bound: RoleSeen[]; anonymous: AnonymousBinding[] };
  webhooks: WebhookSeen[];
  aggregatedApis: AggregatedApi[];
  definitions: Definition[];
  volumes: VolumeSeen[];
  csiDrivers: { name: string; seLinuxMount: boolean }[];
  kubeProxy: { mode: string } | 'none';
  apiObjects: DeprecatedUse[];
  helmReleases: DeprecatedUse[];
  karpenter: KarpenterSeen | 'none';
  istio: IstioSeen | 'none';
  gitOps: GitOpsSeen[];
}

export type Shape<S extends SourceId> = Shapes[S];
export type Evidence = { [S in SourceId]: Seen<Shapes[S]> };
