/** What an upgrade of a snapshot is going to do, as a value: whoever shows it only renders. Times are milliseconds. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { PhaseId } from '../../core/phases.ts';
import type { NodeStrategy, NodeWaves } from '../../policy/policy.ts';

/** Of several plays: half of them are at or below p50, nine in ten at or below p90. */
export interface Spread {
  p50: number;
  p90: number;
}

/** Where a length comes from. `snapshot`: measured in it; `learnt`: from earlier runs; `configured`: belay.yaml says it; `reports`: field reports of other clusters. */
export type Basis = 'snapshot' | 'learnt' | 'configured' | 'reports';

/** A length that plays are made of. */
export interface Calibration {
  /** "from NodeClaim to Ready, NodePool general" */
  what: string;
  basis: Basis;
  medianMs: number;
  /** Of measurements behind it; 0 where there are none. */
  count: number;
}

export interface StepForecast {
  /** Of the plan. */
  id: string;
  title: string;
  phase: PhaseId;
  /** From the beginning of the upgrade. */
  startsAfter: Spread;
  takes: Spread;
  /** The weakest basis that it stands on. */
  basis: Basis;
}

/** A gate that will be asked, and what plays took people to answer. */
export interface GateForecast {
  step: string;
  title: string;
  why: string;
  assumed: string;
  /** In how many of the plays, 0 to 1. */
  share: number;
  /** How long people are assumed to take. */
  decidedAfterMs: number;
}

/** Whose workload it is, "Deployment shop/web" in parts. `team`: by the ownership labels of belay.yaml; absent: nobody's. */
export interface WorkloadRef {
  kind: string;
  namespace: string;
  name: string;
  team?: string;
}

/** Why a pod keeps its node from being replaced. */
export type BlockReason =
  /** Its PodDisruptionBudgets allow no disruption and will not by themselves. */
  | 'budget'
  /** More than one PodDisruptionBudget selects it. */
  | 'several-budgets'
  /** karpenter.sh/do-not-disrupt. */
  | 'do-not-disrupt'
  /** No node that may come takes it: zone of its volume, limits of the NodePool, selectors. */
  | 'no-room';

export interface BlockerForecast {
  pod: { namespace: string; name: string };
  node: string;
  workload?: WorkloadRef;
  reason: BlockReason;
  /** PodDisruptionBudgets, by name in the pod's namespace. */
  budgets: string[];
  share: number;
}

/** A workload that is without a ready pod for a while. */
export interface DowntimeForecast {
  workload: WorkloadRef;
  replicas: number;
  why: 'one-replica' | 'one-zone' | 'all-at-once' | 'no-room';
  /** Over the whole upgrade. */
  down: Spread;
  share: number;
}

export interface NodesReplaced {
  owner: 'karpenter' | 'node-group' | 'self-managed' | 'auto-mode' | 'fargate';
  /** NodePool, node group, Auto Scaling group. */
  name: string;
  count: Spread;
}

export interface Peak {
  /** Beyond what the cluster has before. */
  extraNodes: Spread;
  extraVcpus: Spread;
  /** Addresses of pods and nodes; by zone where subnets were read. */
  extraAddresses: Spread;
  /** Zones in which that is more than their subnets have free. */
  shortOfAddresses: { zone: string; needed: number; free: number }[];
  /** Volumes that move from one node to another. */
  volumesMoved: Spread;
}

/** Nodes over time, in the median play: for a picture. */
export interface NodesAt {
  atMs: number;
  old: number;
  new: number;
  /** Launched, not Ready. */
  coming: number;
}

/** Of nodes that run beside the old ones, at the prices of belay.yaml; `cost` absent: those of `unpriced` are not known. */
export interface Surge {
  nodeHours: Spread;
  cost?: Spread;
  /** Absent: USD. */
  currency?: string;
  unpriced: string[];
}

export interface Forecast {
  cluster: ClusterRef;
  from: string;
  to: string;
  /** Of the plan that was played. */
  planHash: string;
  strategy: NodeStrategy;
  /** One of belay.yaml's paces where one was asked for instead of them all. */
  pace?: string;
  waves?: NodeWaves;
  snapshotTakenAt: string;
  /** ISO 8601. */
  madeAt: string;
  runs: number;
  seed: number;
  total: Spread;
  steps: StepForecast[];
  gates: GateForecast[];
  nodesReplaced: NodesReplaced[];
  blockers: BlockerForecast[];
  downtimes: DowntimeForecast[];
  evictions: { workload: WorkloadRef; count: Spread }[];
  peak: Peak;
  surge: Surge;
  nodesOverTime: NodesAt[];
  /** What is not played, or was not read, each a sentence. */
  limits: string[];
  calibration: Calibration[];
}
