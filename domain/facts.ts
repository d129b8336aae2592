/**
 * What inspection reads about a cluster, in our words: the planner's and the checks' only input.
 * Versions are strings as the APIs give them ("1.32", "v1.18.3-eksbuild.1"); the planner parses them once.
 */

import type { AmiBuild } from './amis.ts';
import type { PromotionSource } from './promotion.ts';

/** Identity of a cluster. Together with the account and region it is also the lock's key. */
export interface ClusterRef {
  name: string;
  account: string;
  region: string;
}

export type ManagedBy = 'eks' | 'helm' | 'flux' | 'argocd' | 'terraform' | 'manual';

/** Who left marks on an object. Helm's own are also what Terraform's helm_release leaves. */
export type Marks = Extract<ManagedBy, 'flux' | 'argocd' | 'helm' | 'terraform'>;

export interface HealthIssue {
  code: string;
  message: string;
  resourceIds: string[];
}

export interface ControlPlaneFact {
  arn: string;
  version: string;
  platformVersion?: string;
  /** CREATING | ACTIVE | DELETING | FAILED | UPDATING | PENDING */
  status: string;
  healthIssues: HealthIssue[];
  supportType?: 'STANDARD' | 'EXTENDED';
  /** EKS Auto Mode (computeConfig.enabled). */
  autoMode: boolean;
  /** Logs that go to CloudWatch; undefined: not read. */
  logs?: string[];
}

export interface NodeGroupFact {
  name: string;
  version: string;
  releaseVersion?: string;
  amiType: string;
  status: string;
  healthIssues: HealthIssue[];
  desiredCount: number;
  /** Either a count or a percentage is set by EKS; the default is a count of 1. */
  maxUnavailableCount?: number;
  maxUnavailablePercentage?: number;
  launchTemplate?: { id?: string; name?: string; version?: string };
}

export interface AddOnFact {
  name: string;
  /** Installed version. */
  version: string;
  status: string;
  healthIssues: HealthIssue[];
  /** false: the workload exists in kube-system but EKS does not manage it. */
  managed: boolean;
  /** Versions that EKS offers, by Kubernetes minor, newest first. An absent or empty list is unknown, not "none". */
  offered: Record<string, { version: string; isDefault: boolean }[]>;
}

export interface BudgetEntry {
  nodes: string;
  reasons?: string[];
  schedule?: string;
  duration?: string;
}

export interface NodePoolFact {
  name: string;
  nodeClass: string;
  /** The class from which an earlier run has switched it; absent: none has. */
  classBefore?: string;
  ready: boolean;
  /** undefined: the field is absent (the CRD default 10 % applies). [] means no limit at all. */
  budgets?: BudgetEntry[];
  /** e.g. "720h"; "Never" or absent: no expiry. */
  expireAfter?: string;
  nodeCount: number;
  /** Who has left marks on the object; absent: nobody. */
  deliveredBy?: Marks;
  /** Set when Belay's mark is on the object or on its nodes: a freeze is in force or was left. */
  frozenBy?: string;
  /** Of a frozen pool: others have taken out neither our budget entry nor the annotation of a node. Absent: as its budgets say. */
  freezeStands?: boolean;
}

export interface NodeClassFact {
  name: string;
  ready: boolean;
  /** The alias such as al2023@latest; undefined when AMIs are chosen by id, name, tag or SSM parameter. */
  alias?: string;
  /** The alias that an earlier run has replaced by the images in use (AMI hold); put back before nodes are replaced. */
  heldAlias?: string;
  amiFamily?: string;
  amiIds: string[];
  /** Names of status.amis: they say family, minor and release. */
  amiNames?: string[];
  /** How its amiSelectorTerms choose; absent: not read. `mixed`: names, tags, SSM parameters, or several ways at once. */
  selects?: 'alias' | 'ids' | 'mixed';
  /** amiSelectorTerms as they stand on the object; absent: not read. */
  terms?: Record<string, unknown>[];
  /** Who has left marks on the object (domain: "Who owns an object"); absent: nobody. */
  deliveredBy?: Marks;
  /** What its user data is written for; absent: not read. `shell`: with bootstrap.sh, also inside MIME parts. */
  userData?: 'none' | 'shell' | 'nodeadm' | 'mime' | 'toml' | 'other';
  /** metadataOptions.httpPutResponseHopLimit: with 1, pods that are not on the host's network do not reach IMDS. */
  hopLimit?: number;
}

/** What a hold of a node class's AMIs would do. */
export interface AmiHoldFact {
  nodeClass: string;
  /** Images that its nodes run, one for each architecture; empty: it has no nodes. */
  ids: string[];
  amiFamily?: string;
  /** Why it cannot be held. */
  refused?: string;
  /** A node with GPUs or other accelerators, which needs an image of a variant: ids tell architectures apart, and nothing else. */
  accelerated?: string;
}

/** A NodePool that a plan points at another EC2NodeClass. */
export interface NodeClassSwitch {
  nodePool: string;
  /** Empty: there is no such pool. */
  from: string;
  to: string;
  /** Who has left marks on the NodePool; absent: nobody. */
  owner?: Marks;
}

/** A chart that GitOps delivers, and the object that says its version. */
export interface DeliveredChart {
  kind: 'HelmRelease' | 'Application';
  namespace: string;
  name: string;
  /** "karpenter", "karpenter-crd" */
  chart: string;
  /** As written: a version, a tag or a range. */
  version: string;
  /** The OCIRepository in which the version is written; absent: in the object itself. */
  repository?: { namespace: string; name: string };
  /** What would put a change of the object back, e.g. "Kustomization flux-system/platform"; absent: nobody. */
  owner?: string;
}

export interface KarpenterFact {
  version: string;
  namespace: string;
  deployment: string;
  nodePools: NodePoolFact[];
  nodeClasses: NodeClassFact[];
  /** What belay.yaml has switched: the pools above name their new classes already. */
  switches?: NodeClassSwitch[];
  /** NodeClaims that expireAfter will force-drain inside the next 24 hours. */
  expiringSoonCount: number;
  /** What Flux and Argo CD deliver of it, CRDs first; absent: neither delivers any of it, or it could not be read. */
  deliveredCharts?: DeliveredChart[];
  /** The oldest API in which it still has objects; absent: v1. The pools and classes above are then shown as they would be in v1. */
  api?: 'v1beta1' | 'v1alpha5';
  /** Some of its objects may still be stored as v1beta1, which 1.1 and newer do not read; absent: none, or not read. */
  storedBeta?: boolean;
}

export interface IstioRevisionFact {
  /** "1-26" or "default". */
  revision: string;
  /** "1.26.2" from istiod's image tag. */
  version: string;
  namespace: string;
  ready: boolean;
}

export interface MeshNamespaceFact {
  name: string;
  /** How the namespace selects its injector. */
  mode: 'revision' | 'tag' | 'injection-label';
  /** The label's value: a revision or a tag; "default" for istio-injection=enabled. */
  selector: string;
  /** The revision behind the selector. */
  revision: string;
  /** Whatever of it is in the mesh is a gateway: it moves with them. */
  gatewaysOnly?: true;
  /** Requests per second by Prometheus; undefined where Prometheus cannot tell. */
  requestsPerSecond?: number;
}

export const NODE_AGENTS = ['istio-cni', 'ztunnel'] as const;

/** What of Istio runs on every node, as a DaemonSet. */
export interface NodeAgentFact {
  kind: (typeof NODE_AGENTS)[number];
  namespace: string;
  daemonSet: string;
  /** "1.27.3" from its image's tag. */
  version: string;
}

export const GATEWAY_KINDS = ['Deployment', 'DaemonSet', 'Gateway'] as const;

/** A proxy with a Service of its own: where traffic enters or leaves the mesh, or a waypoint of ambient mode. */
export interface GatewayFact {
  /** What names its revision: the workload that is injected, or a Gateway of the Gateway API, whose Deployment istiod makes. */
  kind: (typeof GATEWAY_KINDS)[number];
  namespace: string;
  name: string;
  /** GatewayClass of a Gateway. */
  className?: string;
  /**
   * What decides its revision: label istio.io/rev of its own (of a workload: of its template), its namespace, or the default revision;
   * `image`: it is not injected, its template names a proxy image, and only what renders it can move it.
   */
  by: 'own-label' | 'namespace' | 'default' | 'image';
  /** Revision or tag; "default" for istio-injection=enabled and where nothing is said. */
  selector: string;
  /** The revision behind the selector. */
  revision: string;
  replicas: number;
  /** Labels of its pods, as far as a budget may select them. */
  podLabels?: Record<string, string>;
  /** Who would put an edit back ("Argo CD"): its owner is asked instead. */
  keptBy?: string;
}

export interface IstioFact {
  revisions: IstioRevisionFact[];
  tags: { tag: string; revision: string }[];
  namespaces: MeshNamespaceFact[];
  /** istio-cni or ztunnel DaemonSets exist: two-minor jumps are not allowed. */
  hasCniOrZtunnel: boolean;
  /** Can Prometheus judge traffic? `blind`: it cannot be asked, or has no series of proxies. undefined: not read. */
  prometheus?: 'none' | 'blind' | 'sees';
  /** Those whose version can be read. */
  nodeAgents?: NodeAgentFact[];
  /** PodDisruptionBudgets ("istio-system/istiod") of istiods with one replica, which a run gives a second one while nodes move. */
  loneBudgets?: string[];
  /** Namespaces whose traffic goes through ztunnel (istio.io/dataplane-mode=ambient). */
  ambient?: string[];
  /** undefined: not read. */
  gateways?: GatewayFact[];
  /** What Flux and Argo CD deliver of it, istio-base first; absent: neither delivers any of it, or it could not be read. */
  deliveredCharts?: DeliveredChart[];
}

export interface KubeletFact {
  minor: string;
  count: number;
  owner: 'node-group' | 'karpenter' | 'self-managed' | 'fargate' | 'auto-mode';
}

/** A NodePool of EKS Auto Mode. */
export interface AutoModePoolFact {
  name: string;
  /** general-purpose and system: EKS owns them, nobody can edit their budgets. */
  builtIn: boolean;
  budgets?: BudgetEntry[];
  nodeCount: number;
  /** Who has left marks on the object; absent: nobody. */
  deliveredBy?: Marks;
  frozenBy?: string;
  freezeStands?: boolean;
  /** Nodes with the annotation karpenter.sh/do-not-disrupt, the first few by name; absent: none. */
  markedNodes?: { count: number; names: string[] };
}

/** A Cluster Autoscaler that runs, or that an earlier run has paused. */
export interface AutoscalerFact {
  namespace: string;
  name: string;
  /** When it is not paused. */
  replicas: number;
  /** GitOps that would put its replicas back; absent: nobody does. */
  deliveredBy?: 'flux' | 'argocd';
}

/** An Auto Scaling group that carries the cluster's tag and is no managed node group's. */
export interface SelfManagedGroupFact {
  name: string;
  size: number;
}

export interface SupportedVersion {
  version: string;
  /** ISO 8601, as the others: since when EKS offers it. */
  releasedAt?: string;
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
  status?: 'STANDARD_SUPPORT' | 'EXTENDED_SUPPORT' | 'UNSUPPORTED';
}

/** An API that the target no longer serves and that is still used. */
export interface RemovedApiUse {
  /** "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema" */
  api: string;
  /** Kubernetes minor that stops to serve it. */
  removedIn: string;
  /** The first few users: user agents, releases, objects. */
  usedBy: string[];
}

export interface SubnetFact {
  id: string;
  zone: string;
  freeIpCount: number;
}

/** What the control plane's update needs and somebody may have deleted. */
export interface DependencyFact {
  kind: 'iam-role' | 'kms-key' | 'security-group' | 'subnet';
  id: string;
  present: boolean;
}

export interface ClusterFacts {
  cluster: ClusterRef;
  controlPlane: ControlPlaneFact;
  /** Versions that EKS offers; an empty list is unknown. */
  supportedVersions: SupportedVersion[];
  nodeGroups: NodeGroupFact[];
  addOns: AddOnFact[];
  kubelets: KubeletFact[];
  /** undefined: not Auto Mode, or not read. */
  autoModePools?: AutoModePoolFact[];
  /** undefined: there is none, or it was not read. */
  clusterAutoscaler?: AutoscalerFact;
  /** undefined: not read, or there are no self-managed nodes. */
  selfManagedGroups?: SelfManagedGroupFact[];
  /** Namespaces with pods on Fargate; undefined: not read, or there are no Fargate nodes. */
  fargateNamespaces?: string[];
  /** undefined: no Karpenter. */
  karpenter?: KarpenterFact;
  /** undefined: no Istio. */
  istio?: IstioFact;
  /** An update that EKS has in progress now, on the cluster itself. */
  updateInProgress?: { id: string; type: string; version?: string };
  /** undefined: not read, so unknown; [] means that nothing was found. */
  removedApis?: RemovedApiUse[];
  /** Subnets that the control plane is in; undefined: not read. */
  subnets?: SubnetFact[];
  /** undefined: not read. */
  dependencies?: DependencyFact[];
  /** Which images there are behind pinned aliases for the minors on the way; undefined: not read. */
  amiBuilds?: AmiBuild[];
  /** Why amiBuilds were not read. */
  amiBuildsUnseen?: string;
  /** Which images a hold would pin, by node class; undefined: belay.yaml holds none. */
  amiHolds?: AmiHoldFact[];
  /** What the clusters of karpenter.promoteFrom run; undefined: belay.yaml promotes nothing. */
  promotion?: PromotionSource[];
  /** What could not be read and why (the missing permission, the time-out): never taken for "there is none". */
  unknowns: { what: string; why: string }[];
  /** That server's own Date, ISO 8601. */
  readAt: string;
}
