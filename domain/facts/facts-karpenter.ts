/** What inspection reads about Karpenter. */
import type { DeliveredChart, Deliverer } from './facts-delivery.ts';

export interface BudgetEntry {
  nodes: string;
  reasons?: string[];
  schedule?: string;
  duration?: string;
}

export interface NodePoolFact {
  name: string;
  nodeClass: string;
  /** API group of its node class where that is neither Karpenter's own nor Auto Mode's: it is frozen like the others, and Belay knows nothing of its nodes' images. */
  group?: string;
  /** The class from which an earlier run has switched it; absent: none has. */
  classBefore?: string;
  ready: boolean;
  /** undefined: the field is absent (the CRD default 10 % applies). [] means no limit at all. */
  budgets?: BudgetEntry[];
  /** e.g. "720h"; "Never" or absent: no expiry. */
  expireAfter?: string;
  nodeCount: number;
  /** Who has left marks on the object; absent: nobody. */
  deliveredBy?: Deliverer;
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
  deliveredBy?: Deliverer;
  /** What its user data is written for; absent: not read. `shell`: with bootstrap.sh, also inside MIME parts. */
  userData?: 'none' | 'shell' | 'nodeadm' | 'mime' | 'toml' | 'other';
  /** metadataOptions.httpPutResponseHopLimit: with 1, pods that are not on the host's network do not reach IMDS. */
  hopLimit?: number;
}

/** What a hold of a node class's AMIs would do. */
export interface AmiHoldFact {
  nodeClass: string;
  /** Images that its nodes run, one for each architecture, and the standard ones of architectures that its NodePools may launch beside. */
  ids: string[];
  amiFamily?: string;
  /** Why it cannot be held. */
  refused?: string;
  /** A node with GPUs or other accelerators, which needs an image of a variant: ids tell architectures apart, and nothing else. */
  accelerated?: string;
  /** A NodePool that launches such nodes by its requirements, and would get another image; `refused` says so. */
  acceleratedPool?: string;
  /** NodePools that do not exclude such nodes: what they launch for a pod that asks for an accelerator lacks its drivers while the hold lasts. */
  openPools?: string[];
}

/** A NodePool that a plan points at another EC2NodeClass. */
export interface NodeClassSwitch {
  nodePool: string;
  /** Empty: there is no such pool. */
  from: string;
  to: string;
  /** Who has left marks on the NodePool; absent: nobody. */
  owner?: Deliverer;
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

/** The nodes of Karpenter in one cluster that run one release. */
export interface RunningRelease {
  /** "al2023" */
  family: string;
  /** "v20251016" */
  release: string;
  /** Kubernetes minors of the images. */
  minors: string[];
  nodeCount: number;
  /** Creation of the oldest and of the newest of these NodeClaims, ISO 8601. */
  firstAt: string;
  lastAt: string;
}

/** What one of the clusters runs; with `unseen` nothing is known about it. */
export interface PromotionSource {
  cluster: string;
  releases: RunningRelease[];
  /** Nodes of Amazon's families whose image their node class does not choose any more, or whose name tells no release: by family. */
  unknown: { family: string; nodeCount: number }[];
  unseen?: string;
  /** That cluster's own clock, ISO 8601. */
  readAt: string;
}
