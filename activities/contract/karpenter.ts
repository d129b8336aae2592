/** What workflows may ask about Karpenter's nodes: freeze, pace, waves, AMIs, and the watch over the roll. */
import type { NodeClassSwitch } from '../../domain/facts/facts.ts';
import type { FreezeMeans } from '../../domain/policy/freeze-means.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { AmiMove } from '../../domain/plan/model/changes.ts';
import type { WaveBy } from '../../domain/policy/policy.ts';
import type { Target, Waiting } from './target.ts';

export interface BlockedNode {
  node: string;
  nodePool: string;
  /** First pod that cannot be evicted, and why. `controller`: what makes it anew; null: nothing does. */
  pod?: { namespace: string; name: string; uid?: string; controller: { kind: string; name: string } | null };
  /** The numbers as its status has them. */
  pdb?: { namespace: string; name: string; disruptionsAllowed?: number; currentHealthy?: number; desiredHealthy?: number };
  /** What owns the pod and can be scaled. `autoscaler`: a HorizontalPodAutoscaler that sets its replicas as well. */
  workload?: { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string; replicas: number; autoscaler?: string };
  /** One replica more of it would change nothing: its budget, if any, would still let no pod go. */
  noUseScaling?: true;
  /** Whose it is, as labels and annotations say: "team payments". */
  people?: string[];
  /** The node itself is gone; a volume is not let go of. */
  gone?: boolean;
  /** It ends whatever people choose, and is only held until it is empty: it cannot be skipped. */
  leaving?: boolean;
  /** Karpenter removes it already, so that skipping keeps nothing. `forcedAt` (ISO 8601): when it deletes what is left, whatever budgets and annotations say. */
  removing?: { forcedAt?: string };
  reason: string;
  /** Milliseconds that the watcher has seen it blocked, by its own clock (kept over attempts in heartbeat details). */
  sinceMs: number;
}

/** Since when something is so, by subject, and what exactly; `sinceMs` of the watch's own clock. */
export type SeenSince = Record<string, { key: string; sinceMs: number }>;

/** What a watch has seen, for the next one of the same roll: its clock goes on from there, so `sinceMs` is negative. */
export interface DriftSeen {
  held: SeenSince;
  troubles: SeenSince;
  launches?: { starting: string[]; failedCount: number; replacedCount: number };
}

interface DriftCounts {
  replacedCount: number;
  remainingCount: number;
}

/** Another watch follows. */
interface DriftGoesOn extends DriftCounts {
  seen?: DriftSeen;
}

export type DriftOutcome =
  | { kind: 'done'; replacedCount: number; remainingCount: 0; skippedCount: number }
  /** The pace's watching time is over and work remains. */
  | ({ kind: 'pace-elapsed' } & DriftGoesOn)
  /**
   * Everything that is left is blocked, or one node is blocked longer than driftBlockedAfterMs. `more`: others that are; those that people were `asked`
   * about and that still are, too.
   */
  | ({ kind: 'blocked'; node: BlockedNode; more?: BlockedNode[] } & DriftGoesOn)
  /** None of the nodes that people were `asked` about is held any more. */
  | ({ kind: 'freed' } & DriftGoesOn)
  /** A quarter of the roll further than what was told. */
  | ({ kind: 'progress' } & DriftGoesOn)
  /** NodePools of the plan that are not there any more: their nodes go with them and are not counted. */
  | ({ kind: 'pools-gone'; pools: string[] } & DriftGoesOn)
  /** NodeRegistrationHealthy False, NodeClass not ready, claims that do not initialise. */
  | ({ kind: 'unhealthy'; why: string } & DriftCounts)
  | ({ kind: 'timed-out' } & DriftCounts);

export interface FreezeState {
  /** All pools carry our entry with this `nodes` value. */
  intact: boolean;
  /** Pools whose entry is gone or was changed by others. */
  reverted: string[];
  /** Pools whose self-expiring entry has ended, because nobody renewed it. */
  lapsed?: string[];
  pools: string[];
}

/**
 * `nodes` as in a budget. `means` absent: by budgets alone. `onlyPools`: NodePools that are frozen; absent: every one, those created later too. `guard`:
 * written on nodes that are held.
 */
interface Freeze {
  nodes: string;
  reasons: string[];
  means?: FreezeMeans;
  onlyPools?: string[];
  guard?: string;
}

export interface KarpenterActivities {
  /** Loops until the Karpenter Deployment runs an image that lies in [minimum, …] and supports `to`, fully rolled out. `back`: and that is no newer than `wanted`. Heartbeats. */
  awaitKarpenterVersion(
    input: Target & Waiting & { wanted: string; minimum: string; namespace: string; deployment: string; back?: true },
  ): Promise<{ version: string; timedOut: boolean }>;
  /**
   * One JSON patch per NodePool with a test on resourceVersion: before-image annotation and budget entry `{nodes, reasons}`.
   * A pool that is frozen already is adopted (its before-image is kept). `guard`: workflow id written to the annotation. Where `means` say so, every
   * Node of the pool is held by do-not-disrupt instead, with its before-image. What an earlier freeze did by other means goes, once these stand.
   */
  freezeDrift(
    input: Target & { guard: string; reasons: string[]; means?: FreezeMeans; onlyPools?: string[] },
  ): Promise<{ pools: string[]; adopted: string[]; previousGuards: string[] }>;
  checkFreeze(input: Target & Freeze): Promise<FreezeState>;
  /**
   * Loops every timing.freezeCheckMs; returns only when a pool's entry is gone or was changed by others. Heartbeats. Cancelled when the guard has
   * something else to do. Meanwhile it renews entries that end by themselves, holds nodes that are new, and lets nodes go as the pace allows.
   * `recover` (needs `guard`): it could not look, or not put the freeze back. Tries both more and more seldom, and returns once the freeze is intact.
   */
  watchFreeze(input: Target & Waiting & Freeze & { recover?: true }): Promise<FreezeState>;
  /** Sets our entry to `nodes`; while pacing with "original" semantics the before-image's own entries stay beside it (Karpenter takes the minimum). */
  setDriftPace(input: Target & Freeze): Promise<FreezeState>;
  /** Of every pool that carries marks: budgets and nodes exactly as before, annotations gone. A pool that others changed meanwhile loses only our entry and is named in `changedByOthers`. */
  restoreBudgets(input: Target): Promise<{ restored: string[]; changedByOthers: string[]; failed: { pool: string; why: string }[] }>;
  /** NodePools that carry marks of a freeze, on themselves or on their nodes, whoever made it. */
  findFrozen(input: Target): Promise<{ pools: string[] }>;
  /**
   * Watches until done, blocked, unhealthy, or `watchMs` is over. Heartbeats. `byImage`: EC2NodeClasses whose nodes are old while Karpenter would launch
   * others from another image; all else is told by its kubelet's minor. `ignoreNodes`: nodes that people chose to skip; `ignorePools`: pools
   * whose AMIs are pinned. `ownerKeys`: labels and annotations that say whose a blocked pod is. `dueOnly`: nodes that wait for a later
   * wave do not count. `owner`: only nodes that EKS Auto Mode manages count; `onlyPools`: only nodes of these NodePools; absent: those of all.
   */
  watchDrift(
    input: Target &
      Waiting & {
        to: string;
        watchMs?: number;
        ignoreNodes: string[];
        ignorePools?: string[];
        ownerKeys?: string[];
        dueOnly?: boolean;
        owner?: 'auto-mode';
        onlyPools?: string[];
        byImage?: string[];
        /** Nodes that people are being asked about, or have said to wait for: only a change of them is news. */
        asked?: string[];
        /** Replaced nodes that the run has told: `progress` comes a quarter of the roll later. Absent: it does not come. */
        toldCount?: number;
        /** NodePools that the plan rolls: one that is deleted is named. */
        pools?: string[];
        /** Of the watch before. Absent: there was none, and every clock begins now. */
        seen?: DriftSeen;
        startedAt: string;
      },
  ): Promise<DriftOutcome>;
  /**
   * What the roll of these pools will meet, in lines for its gate: services of one replica, budgets that allow nothing, pods that say do-not-disrupt, each
   * with whose they are; NodeClaims that expire by force within `withinMs`. What cannot be read is said with the missing right. Heartbeats.
   */
  forecastRoll(input: Target & { nodePools: string[]; ownerKeys: string[]; withinMs: number }): Promise<{ evidence: GateEvidence[] }>;
  /**
   * Every old node of Karpenter is held by do-not-disrupt and marked with its wave; one that has a wave keeps it. The waves, fewest nodes first.
   * Heartbeats. Undone by releaseWaves. `onlyPools`, `byImage`: as in watchDrift.
   */
  holdWaves(
    input: Target & { to: string; by: WaveBy; nodesPerWave?: number; ignorePools?: string[]; onlyPools?: string[]; byImage?: string[] },
  ): Promise<{ waves: { name: string; nodeCount: number }[] }>;
  /** The nodes of a wave, which Karpenter replaces then: annotations exactly as before. Heartbeats. */
  releaseWave(input: Target & { wave: string }): Promise<{ releasedCount: number }>;
  /** The nodes of all waves, at the end of a roll: annotations exactly as before. Heartbeats. */
  releaseWaves(input: Target): Promise<{ releasedCount: number }>;
  /** do-not-disrupt on the Node, with a before-image annotation. Undone by releaseNode. */
  holdNode(input: Target & { node: string }): Promise<void>;
  releaseNode(input: Target & { node: string }): Promise<void>;
  /**
   * Replaces alias terms by the ids in use (one per arch), before-image on the EC2NodeClass. `nodeClasses` absent: of all classes. `refused`:
   * classes where it is not possible and why. `images`: these ids instead of those in use, by class; nodes that run others drift then.
   */
  holdAmis(
    input: Target & { nodeClasses?: string[]; images?: Record<string, { ids: string[]; amiFamily?: string }> },
  ): Promise<{ held: string[]; refused: { nodeClass: string; why: string }[] }>;
  /** `nodeClasses` absent: every class that is held. */
  releaseAmis(input: Target & { nodeClasses?: string[] }): Promise<{ released: string[]; failed: { nodeClass: string; why: string }[] }>;
  /** Sets amiSelectorTerms as planned, before-image on the EC2NodeClass. What is there already is left alone; `InvalidRequest` where others changed it since the plan. */
  moveAmis(input: Target & { moves: AmiMove[] }): Promise<void>;
  /** Loops until the classes choose what the moves say, made by their owners. `left`: those that do not after timing.askTimeoutMs. Heartbeats. */
  awaitAmiMoves(input: Target & Waiting & { moves: AmiMove[] }): Promise<{ left: string[] }>;
  /** Terms exactly as before `moveAmis`. A class that others changed meanwhile is in `failed`. */
  undoAmiMoves(input: Target & { moves: AmiMove[] }): Promise<{ undone: string[]; failed: { nodeClass: string; why: string }[] }>;
  /** Removes the before-images: there is no way back any more. Idempotent. */
  forgetAmiMoves(input: Target & { moves: AmiMove[] }): Promise<void>;
  /** Points NodePools at other EC2NodeClasses, before-image on the NodePool. What is there already is left alone; `InvalidRequest` where others changed it since the plan. */
  switchNodeClasses(input: Target & { switches: NodeClassSwitch[] }): Promise<void>;
  /** Loops until the pools name their new classes, set by their owners. `left`: those that do not after timing.askTimeoutMs. Heartbeats. */
  awaitNodeClassSwitches(input: Target & Waiting & { switches: NodeClassSwitch[] }): Promise<{ left: string[] }>;
  /** The classes from before; `Unavailable` until Karpenter no longer marks their nodes. A pool that others changed meanwhile is in `failed`. */
  undoNodeClassSwitches(
    input: Target & { switches: NodeClassSwitch[] },
  ): Promise<{ undone: string[]; failed: { nodePool: string; why: string }[] }>;
  /** Removes the before-images: the nodes have moved. Idempotent. */
  forgetNodeClassSwitches(input: Target & { switches: NodeClassSwitch[] }): Promise<void>;
  /** Loops until Karpenter has found images of `to` for every class. `stale`: those for which it has not after timing.driftBlockedAfterMs. Heartbeats. */
  awaitAmis(
    input: Target & Waiting & { to: string; follows: { nodeClass: string; nodePools: string[] }[] },
  ): Promise<{ stale: { nodeClass: string; nodePools: string[]; why: string }[] }>;
}
