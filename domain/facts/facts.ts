/**
 * What inspection reads about a cluster, in our words: the planner's and the checks' only input.
 * Versions are strings as the APIs give them ("1.32", "v1.18.3-eksbuild.1"); the planner parses them once.
 */

import type { AmiBuild } from './ami-names.ts';
import type { Deliverer } from './facts-delivery.ts';
import type { IstioFact } from './facts-istio.ts';
import type { AmiHoldFact, BudgetEntry, KarpenterFact, PromotionSource } from './facts-karpenter.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';

export type { DeliveredChart, ManagedBy, Deliverer } from './facts-delivery.ts';
export type {
  GatewayFact,
  IstioFact,
  IstioRevisionFact,
  MeshNamespaceFact,
  NodeAgentFact,
  OwnChoiceFact,
  UninjectedFact,
} from './facts-istio.ts';
export type {
  AmiHoldFact,
  BudgetEntry,
  KarpenterFact,
  NodeClassFact,
  NodeClassSwitch,
  NodePoolFact,
  PromotionSource,
  RunningRelease,
} from './facts-karpenter.ts';
export { GATEWAY_KINDS, NODE_AGENTS, revisionsInUse } from './facts-istio.ts';

export interface HealthIssue {
  code: string;
  message: string;
  resourceIds: string[];
}

export interface ControlPlaneFact {
  arn: string;
  /** Which cluster of its name it is. */
  identity?: string;
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
  /** Its nodes come from reserved instances, of which there are no more. */
  capacityBlock?: true;
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

export interface KubeletFact {
  minor: string;
  count: number;
  owner: 'node-group' | 'karpenter' | 'self-managed' | 'fargate' | 'auto-mode' | 'hybrid';
}

/** A NodePool of EKS Auto Mode. */
export interface AutoModePoolFact {
  name: string;
  /** general-purpose and system: EKS owns them, nobody can edit their budgets. */
  builtIn: boolean;
  budgets?: BudgetEntry[];
  nodeCount: number;
  /** Who has left marks on the object; absent: nobody. */
  deliveredBy?: Deliverer;
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
  /** Further ones beside it, as where each kind of node group has its own. */
  others?: Omit<AutoscalerFact, 'others'>[];
}

/** Each by itself. */
export const eachAutoscaler = ({ others = [], ...first }: AutoscalerFact): Omit<AutoscalerFact, 'others'>[] => [first, ...others];

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
  /** The worker that made the plan runs on the cluster itself; `allowed`: belay.yaml says that its node is not replaced. Absent: it does not, or was not asked. */
  workerOnCluster?: { allowed: boolean };
  /** It runs in a pod, and cannot tell of which cluster. */
  workerPlaceUnknown?: string;
  /** What could not be read and why (the missing permission, the time-out): never taken for "there is none". */
  unknowns: (Inspected & { why: string; denied?: true })[];
  /** That server's own Date, ISO 8601. */
  readAt: string;
}

/** What inspection reads, for rules and checks that cannot do without it; `what` is for people. */
export interface Inspected {
  part:
    | 'updates'
    | 'offered-versions'
    | 'node-groups'
    | 'add-ons'
    | 'self-managed-add-ons'
    | 'component-versions'
    | 'nodes'
    | 'kubelet-versions'
    | 'other-nodes'
    | 'karpenter'
    | 'node-pools'
    | 'auto-mode-pools'
    | 'node-classes'
    | 'node-claims'
    | 'crds'
    | 'migration'
    | 'istiods'
    | 'namespaces'
    | 'revision-tags'
    | 'revision-choices'
    | 'injection-webhooks'
    | 'istio-replicas'
    | 'node-agents'
    | 'gateways'
    | 'uninjected'
    | 'mesh-traffic'
    | 'delivery';
  /** Which one of several; absent: all of them, or the only one. */
  name?: string;
  /** "node group workers" */
  what: string;
}

/** Without these nobody knows which revisions of Istio are in use. */
export const ISTIO_IN_USE: readonly Inspected['part'][] = ['istiods', 'namespaces', 'revision-tags'];
