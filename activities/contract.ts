/**
 * What workflows may ask of the world: one interface per file of activities. Types only; workflows import this with `import type`.
 * Rules that hold for all: one object argument; `cluster` names the cluster; a mutation carries the workflow's `token` and looks before it acts;
 * results are small (first few names and counts, never lists of nodes). Loops heartbeat, and end with an outcome rather than a throw
 * where people have to decide. Failures are ApplicationFailures with a type of `FailureType`.
 */
import type { Actor, GateEvidence } from '../domain/gate.ts';
import type { DeliveryActivities } from './delivery/contract.ts';
import type { ClusterRef, NodeClassSwitch } from '../domain/facts.ts';
import type { Finding } from '../domain/findings.ts';
import type { StepId } from '../domain/phases.ts';
import type { AmiMove, IstioCanary, NodeAgentChange, NodeStrategy, PlanResult, UpgradePlan } from '../domain/plan/types.ts';
import type { CheckResult, Delivery, MessageRef, PublishManyInput } from '../domain/notifications.ts';
import type { ControlPlaneLog, Timing, UpgradePolicy, WaveBy } from '../domain/policy.ts';
import type { ReadinessSummary } from '../domain/readiness/summary.ts';
import type { UpgradeReport } from '../domain/status.ts';
import type { OtherNodeActivities } from './contract-other-nodes.ts';
import type { ConnectedReading } from '../domain/wave-connections.ts';
import type { TrafficReading, WaveVerdict } from '../domain/wave-health.ts';

/** Common to all inputs that touch a cluster. */
export interface Target {
  cluster: ClusterRef;
}

/** For activities that loop: the poll settings of the run. */
export interface Waiting {
  timing: Timing;
}

/* ---------- activities/planning.ts ---------- */
export interface PlanningActivities {
  /** The cluster's resolved policy from belay.yaml. Fails with `Configuration` for an unknown cluster. */
  loadPolicy(input: Target): Promise<UpgradePolicy>;
  /** Inspect, plan, hash. Reads only. */
  makePlan(input: Target & { target: string; strategy?: NodeStrategy; policy: UpgradePolicy }): Promise<PlanResult>;
}

/* ---------- activities/checks/*.ts ---------- */
export interface CheckReport {
  /** Failed and unknown ones, required before recommended. */
  findings: Finding[];
  passedCount: number;
}

export interface CheckActivities {
  /**
   * Readiness for one hop, as `belay check` judges it, EKS insights refreshed. `later`: the steps that follow; what they deal with is a
   * recommendation. Heartbeats. Findings: failed, unknown and waived ones, plus the count of passes.
   */
  runPreChecks(input: Target & Waiting & { from: string; to: string; policy: UpgradePolicy; later?: StepId[] }): Promise<CheckReport>;
  /** After the control plane moved: DescribeCluster and /version agree over several connections, /readyz, add-ons, nodes Ready, freeze holds. */
  verifyControlPlane(input: Target & Waiting & { to: string }): Promise<CheckReport>;
  /** The whole cluster at the target. */
  validateCluster(input: Target & Waiting & { to: string; policy: UpgradePolicy }): Promise<CheckReport>;
  /** EKS's own Date, ISO 8601: what `notBefore` is compared with (times from outside are compared with that server's clock). */
  readClock(input: Target): Promise<{ eks: string }>;
  /** Control plane's minor and the number of nodes by kubelet minor; of Karpenter's nodes alone as well: only they wait for the freeze. */
  readSkew(
    input: Target,
  ): Promise<{ controlPlane: string; updating: boolean; nodes: Record<string, number>; karpenterNodes?: Record<string, number> }>;
}

/* ---------- activities/readiness/index.ts ---------- */
export interface ReadinessActivities {
  /**
   * Reads everything that the catalogue's checks look at, judges it, and attaches the whole report to the thread, best effort. The result is
   * bounded; `change` is against `before`. Heartbeats. Fails only where the cluster itself cannot be described.
   */
  checkReadiness(
    input: Target & { target: string; policy: UpgradePolicy; thread?: MessageRef; before?: ReadinessSummary },
  ): Promise<CheckResult>;
}

/* ---------- activities/eks/*.ts ---------- */
export interface StartedUpdate {
  /** undefined: nothing to do, the resource is already there. */
  updateId?: string;
  /** true: an update that already ran or runs was adopted. */
  adopted: boolean;
  alreadyThere: boolean;
}

export interface UpdateOutcome {
  /** `Vanished`: EKS does not know the id any more and the resource is not at the wanted version. */
  status: 'Successful' | 'Failed' | 'Cancelled' | 'TimedOut' | 'Vanished';
  /** EKS's error codes and messages. */
  errors: { code: string; message: string; resourceIds: string[] }[];
  /** ISO 8601, EKS's clock. */
  createdAt?: string;
}

export type UpdateResource = { kind: 'cluster' } | { kind: 'node-group'; name: string } | { kind: 'add-on'; name: string };

export interface EksActivities {
  /** UpdateClusterConfig for the logs that are off; adopts a LoggingUpdate that runs. */
  startLogging(input: Target & { types: ControlPlaneLog[]; token: string }): Promise<StartedUpdate>;
  /** Where somebody else switches them on: loops until they are, for timing.askTimeoutMs. Heartbeats. */
  awaitLogging(input: Target & Waiting & { types: ControlPlaneLog[] }): Promise<{ timedOut: boolean }>;
  /** UpdateClusterVersion, after looking for a running (or since `notBefore` successful) VersionUpdate to `to`. `notBefore`: ISO 8601 start of the step. */
  startControlPlaneUpdate(input: Target & { to: string; token: string; notBefore: string; force?: boolean }): Promise<StartedUpdate>;
  startNodeGroupUpdate(
    input: Target & { nodeGroup: string; to: string; token: string; notBefore: string; force?: boolean },
  ): Promise<StartedUpdate>;
  startAddOnUpdate(
    input: Target & { addOn: string; to: string; token: string; notBefore: string; resolveConflicts?: 'NONE' | 'PRESERVE' | 'OVERWRITE' },
  ): Promise<StartedUpdate>;
  /** Where somebody else makes the change: loops until EKS lists an update to `to` (or the resource is there). `timedOut` after timing.askTimeoutMs. Heartbeats. */
  awaitForeignUpdate(
    input: Target & Waiting & { resource: UpdateResource; to: string; notBefore: string },
  ): Promise<StartedUpdate & { timedOut: boolean }>;
  /** Polls DescribeUpdate by id to a terminal status, then reads the resource once more. Heartbeats. */
  awaitUpdate(
    input: Target & Waiting & { resource: UpdateResource; updateId: string; to: string; timeoutMs: number },
  ): Promise<UpdateOutcome>;
  /** A managed add-on ACTIVE without issues at `to`, and its workload rolled. Also for self-managed ones (image tag). */
  awaitAddOnHealthy(input: Target & Waiting & { addOn: string; to: string }): Promise<{ healthy: boolean; message: string }>;
  /** A node group at `to`, its nodes' kubelets too. */
  verifyNodeGroup(input: Target & Waiting & { nodeGroup: string; to: string }): Promise<{ findings: Finding[] }>;
}

/* ---------- activities/kubernetes/karpenter/*.ts ---------- */
export interface BlockedNode {
  node: string;
  nodePool: string;
  /** First pod that cannot be evicted, and why. */
  pod?: { namespace: string; name: string; uid?: string };
  /** The numbers as its status has them. */
  pdb?: { namespace: string; name: string; disruptionsAllowed?: number; currentHealthy?: number; desiredHealthy?: number };
  /** What owns the pod and can be scaled. `autoscaler`: a HorizontalPodAutoscaler that sets its replicas as well. */
  workload?: { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string; replicas: number; autoscaler?: string };
  /** Whose it is, as labels and annotations say: "team payments". */
  people?: string[];
  /** The node itself is gone; a volume is not let go of. */
  gone?: boolean;
  reason: string;
  /** Milliseconds that the watcher has seen it blocked, by its own clock (kept over attempts in heartbeat details). */
  sinceMs: number;
}

export type DriftOutcome =
  | { kind: 'done'; replacedCount: number; remainingCount: 0; skippedCount: number }
  /** The pace's watching time is over and work remains. */
  | { kind: 'pace-elapsed'; replacedCount: number; remainingCount: number }
  /** Everything that is left is blocked, or one node is blocked longer than driftBlockedAfterMs. */
  | { kind: 'blocked'; node: BlockedNode; replacedCount: number; remainingCount: number }
  /** NodeRegistrationHealthy False, NodeClass not ready, claims that do not initialise. */
  | { kind: 'unhealthy'; why: string; replacedCount: number; remainingCount: number }
  | { kind: 'timed-out'; replacedCount: number; remainingCount: number };

export interface FreezeState {
  /** All pools carry our entry with this `nodes` value. */
  intact: boolean;
  /** Pools whose entry is gone or was changed by others. */
  reverted: string[];
  pools: string[];
}

export interface KarpenterActivities {
  /** Loops until the Karpenter Deployment runs an image that lies in [minimum, …] and supports `to`, fully rolled out. Heartbeats. */
  awaitKarpenterVersion(
    input: Target & Waiting & { wanted: string; minimum: string; namespace: string; deployment: string },
  ): Promise<{ version: string; timedOut: boolean }>;
  /**
   * One JSON patch per NodePool with a test on resourceVersion: before-image annotation and budget entry `{nodes, reasons}`.
   * A pool that is frozen already is adopted (its before-image is kept). `guard`: workflow id written to the annotation.
   */
  freezeDrift(
    input: Target & { guard: string; reasons: string[] },
  ): Promise<{ pools: string[]; adopted: string[]; previousGuards: string[] }>;
  checkFreeze(input: Target & { nodes: string; reasons: string[] }): Promise<FreezeState>;
  /** Loops every timing.freezeCheckMs; returns only when a pool's entry is gone or was changed by others. Heartbeats. Cancelled when the guard has something else to do. */
  watchFreeze(input: Target & Waiting & { nodes: string; reasons: string[] }): Promise<FreezeState>;
  /** Sets our entry to `nodes`; while pacing with "original" semantics the before-image's own entries stay beside it (Karpenter takes the minimum). */
  setDriftPace(input: Target & { nodes: string; reasons: string[] }): Promise<FreezeState>;
  /** Budgets exactly as before, annotations gone. A pool that others changed meanwhile loses only our entry and is named in `changedByOthers`. */
  restoreBudgets(input: Target): Promise<{ restored: string[]; changedByOthers: string[]; failed: { pool: string; why: string }[] }>;
  /**
   * Watches until done, blocked, unhealthy, or `watchMs` is over. Heartbeats. `ignoreNodes`: nodes that people chose to skip; `ignorePools`: pools
   * whose AMIs are pinned. `ownerKeys`: labels and annotations that say whose a blocked pod is. `dueOnly`: nodes that wait for a later
   * wave do not count.
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
   * Heartbeats. Undone by releaseWave.
   */
  holdWaves(
    input: Target & { to: string; by: WaveBy; nodesPerWave?: number; ignorePools?: string[] },
  ): Promise<{ waves: { name: string; nodeCount: number }[] }>;
  /** The nodes of a wave, or of all: annotations exactly as before. Heartbeats. */
  releaseWave(input: Target & { wave?: string }): Promise<{ releasedCount: number }>;
  /** do-not-disrupt on the Node, with a before-image annotation. Undone by releaseNode. */
  holdNode(input: Target & { node: string }): Promise<void>;
  releaseNode(input: Target & { node: string }): Promise<void>;
  /** Replaces alias terms by the ids in use (one per arch), before-image on the EC2NodeClass. `refused`: classes where it is not possible and why. */
  holdAmis(input: Target): Promise<{ held: string[]; refused: { nodeClass: string; why: string }[] }>;
  releaseAmis(input: Target): Promise<{ released: string[]; failed: { nodeClass: string; why: string }[] }>;
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

/* ---------- activities/kubernetes/workloads.ts ---------- */
export interface WorkloadActivities {
  /** Sets replicas to `from + 1` with a before-image annotation; a workload already scaled by us is left alone. Waits until the new pod is Ready. Heartbeats. */
  scaleByOne(
    input: Target & Waiting & { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string },
  ): Promise<{ before: number; after: number; ready: boolean }>;
  /** Back to the before-image. `changedByOthers`: replicas are neither ours nor the original, left alone. */
  scaleBack(
    input: Target & { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string },
  ): Promise<{ restored: boolean; changedByOthers: boolean }>;
  /** Deletes one pod. `uid`: exactly that pod, never the next one of the same name; a pod that is gone is fine. */
  deletePod(input: Target & { namespace: string; name: string; uid?: string }): Promise<void>;
}

/* ---------- activities/kubernetes/istio/*.ts ---------- */
export interface WaveBefore {
  namespace: string;
  /** Labels as they were: null means absent. */
  injection: string | null;
  rev: string | null;
}

/** A revision tag or the default validator whose owner would put a patch back: its owner is asked. */
export interface HeldPointer {
  /** Absent: the default validator. */
  tag?: string;
  /** "tag prod (MutatingWebhookConfiguration istio-revision-tag-prod)" */
  what: string;
  /** "Argo CD" */
  by: string;
}

/** A set whose pods change only when they are deleted. */
export interface OnDeleteSet {
  kind: 'StatefulSet' | 'DaemonSet';
  namespace: string;
  name: string;
}

/** A pod without a controller: nothing brings it back. */
export interface NakedPod {
  namespace: string;
  name: string;
  uid: string;
}

export interface RestartResult {
  restarted: number;
  /** The first few. */
  skipped: { workload: string; why: string }[];
  /** What only a deletion moves; absent: nothing. */
  byHand?: { sets: OnDeleteSet[]; pods: NakedPod[] };
  notes?: string[];
}

/** How a wave's namespaces are before their move. */
export interface WaveBaseline {
  before: TrafficReading;
  connected: ConnectedReading;
}

export interface IstioActivities {
  /** Installs the new revision with helm, values copied from the old release. Looks at the release first. Only where managedBy is helm. */
  installIstioRevision(input: Target & { canary: IstioCanary; chart?: string; token: string }): Promise<{ version: string }>;
  /**
   * Loops until istiod of the revision is Available, its webhook has a CA bundle, Istio's CRDs are Established and the default validator calls a
   * Service that is there. `version` as running; `lack`: what is still missing. Heartbeats.
   */
  awaitIstioRevision(
    input: Target & Waiting & { revision: string; minor: string },
  ): Promise<{ version: string; timedOut: boolean; lack?: string }>;
  /** Before-images of the wave's namespaces, for the way back. Small. */
  readWave(input: Target & { namespaces: string[] }): Promise<{ before: WaveBefore[] }>;
  /** Labels the namespaces with istio.io/rev=<revision> and removes istio-injection; restarts their workloads with `restartedAt`; before-image annotation. Idempotent. */
  moveNamespaces(input: Target & { namespaces: string[]; revision: string; restartedAt: string }): Promise<RestartResult>;
  /** Points the revision tag at `revision` (webhook labels, service, caBundle) and restarts the namespaces' workloads. `held`: nothing was done. */
  moveTag(
    input: Target & { tag: string; revision: string; namespaces: string[]; restartedAt: string },
  ): Promise<RestartResult & { held?: HeldPointer }>;
  /** Loops until the tags, and the default validator where asked for, point at the revision. Heartbeats. */
  awaitIstioPointers(
    input: Target & Waiting & { tags: string[]; validator: boolean; revision: string },
  ): Promise<{ moved: boolean; left: string[] }>;
  /** Tag `default` and the default validator from `revision` to its successor, where they still point at it. Idempotent. */
  moveDefaults(input: Target & { revision: string; successor: string }): Promise<{ held: HeldPointer[] }>;
  /**
   * Deletes the pods of OnDelete sets that run another revision, one by one, each when all of its set are Ready again, then the naked pods.
   * Idempotent: what runs the revision is left alone. `stuck`: a set that did not become Ready in time. Heartbeats.
   */
  rollByHand(
    input: Target & Waiting & { sets: OnDeleteSet[]; pods?: NakedPod[]; revision: string },
  ): Promise<{ deletedCount: number; stuck?: string }>;
  /** Labels and tags back exactly, same restart. `tag`: as `tags`, from before there could be several. `held`: tags that are not back. */
  moveBack(
    input: Target & {
      before: WaveBefore[];
      tag?: { tag: string; revision: string };
      tags?: { tag: string; revision: string }[];
      restartedAt: string;
    },
  ): Promise<{ restarted: number; held?: HeldPointer[] }>;
  /** The traffic of the namespaces now: taken before a wave moves, it is what `awaitProxies` compares with. One small entry per namespace. */
  readWaveTraffic(input: Target & { namespaces: string[] }): Promise<WaveBaseline>;
  /**
   * Loops until every rollout is complete and every pod's annotation istio.io/rev and proxy image are right, then watches on for `watchMs`;
   * with `before` its traffic too, and no longer than it takes to see it fail. Heartbeats.
   */
  awaitProxies(
    input: Target &
      Waiting & {
        namespaces: string[];
        revision: string;
        minor: string;
        watchMs?: number;
        before?: TrafficReading;
        /** Proxies before the move: are there as many more as the wave has pods? */
        connected?: ConnectedReading;
        /** OnDelete sets whose pods were deleted: they count as well. */
        rolled?: OnDeleteSet[];
      },
  ): Promise<{ ok: boolean; podCount: number; wrong: string[]; timedOut: boolean; traffic?: WaveVerdict; connections?: WaveVerdict }>;
  /** Those that are not at their minor yet, or still rolling. */
  readNodeAgents(input: Target & { agents: NodeAgentChange[] }): Promise<{ behind: NodeAgentChange[] }>;
  /** Upgrades istio-cni or ztunnel with helm, its values kept. Looks at the release first. Only where managedBy is helm. */
  upgradeNodeAgent(input: Target & { agent: NodeAgentChange; chart?: string; token: string }): Promise<{ version: string }>;
  /** Loops until the DaemonSet is at its minor and rolled out. `onDelete`: its pods change only with their nodes, and are not waited for. Heartbeats. */
  awaitNodeAgent(
    input: Target & Waiting & { agent: NodeAgentChange; askedOthers?: boolean },
  ): Promise<{ done: boolean; lack?: string; onDelete?: boolean }>;
  /** The conditions of retiring (domain.md 2.4 I6), each a finding. */
  checkRetirement(input: Target & { revision: string; successor: string }): Promise<{ findings: Finding[] }>;
  /** Points the default tag / validator at the successor, then uninstalls with helm. Only where managedBy is helm. */
  retireIstioRevision(input: Target & { revision: string; successor: string; token: string }): Promise<void>;
  /** Removes the before-image annotations of moved namespaces: called when there is no way back any more. Idempotent. */
  forgetWaves(input: Target & { namespaces: string[] }): Promise<void>;
  /**
   * Loops until the revision's Deployment and webhooks are gone. `sweep`: as soon as istiod is gone, webhooks that still call it and that nobody
   * owns are deleted, since no pod could be created where they match. Heartbeats.
   */
  awaitIstioRevisionGone(
    input: Target & Waiting & { revision: string; sweep?: boolean },
  ): Promise<{ gone: boolean; left: string[]; swept?: string[] }>;
}

/* ---------- activities/notify.ts, activities/approvers.ts, activities/records.ts ---------- */
export interface PeopleActivities {
  /**
   * Posts or edits in place, in order; answers for each message. Fails, to be tried again as a whole, while Slack is away: what was posted is found
   * by its key. Without Slack (no token, no channel) it returns at once.
   */
  publish(input: PublishManyInput): Promise<Delivery[]>;
  /** Local activity: may this actor decide? Reads group membership now; fails closed. */
  readApprover(input: Target & { actor: Actor; policy: UpgradePolicy; requestedBy: Actor }): Promise<{ allowed: boolean; why: string }>;
  /** Writes the run's record; returns where. */
  writeRecord(input: Target & { report: UpgradeReport; plan?: UpgradePlan }): Promise<{ location: string }>;
}

export interface BelayActivities
  extends PlanningActivities,
    CheckActivities,
    ReadinessActivities,
    EksActivities,
    KarpenterActivities,
    DeliveryActivities,
    WorkloadActivities,
    OtherNodeActivities,
    IstioActivities,
    PeopleActivities {}
