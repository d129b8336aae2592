/** What Slack actions and the CLI may ask of Temporal, in our words. */
import type { Prove } from '../../domain/gates/identity-proof.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import type { DecisionReply } from '../../domain/gates/gate.ts';
import type { PlanResult, RuleViolation } from '../../domain/plan/model/types.ts';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import type { ReconcileReport } from '../../domain/run/leftovers.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { CampaignRun } from '../../domain/plan/campaign/types.ts';
import type { NodeStrategy } from '../../domain/policy/policy.ts';

export interface PlanRequest {
  cluster: string;
  /** "1.33" */
  target: string;
  strategy?: NodeStrategy;
  /** The campaign that it belongs to. */
  campaign?: CampaignRun;
  requestedBy: Actor;
  /** For a start by command line. */
  prove?: Prove;
}

/** To the minor that the control plane came from: EKS says which that is. */
export interface BackRequest extends Omit<PlanRequest, 'target' | 'strategy'> {
  /** One step of the last run instead: "add-ons". */
  undo?: string;
}

export interface CheckRequest extends Omit<PlanRequest, 'strategy' | 'campaign' | 'prove'> {
  /** Slack channel id: where the result is told. */
  channel: string;
  /** Run id of the check to compare with; absent: the last one of the cluster. */
  since?: string;
}

export interface ForecastRequest extends Omit<PlanRequest, 'campaign' | 'prove'> {
  /** Slack channel id: where the result is told. */
  channel: string;
}

/** `apply` false: only a look. */
export interface ReconcileRequest {
  cluster: string;
  requestedBy: Actor;
  apply: boolean;
  /** Also what keeps nodes that lag behind the control plane from being replaced. */
  roll?: boolean;
  reason?: string;
  prove?: Prove;
}

/** `running`: it was there before, `startedAt` (ISO 8601), and no other is started. */
export interface StartedCheck {
  kind: 'started' | 'running';
  workflowId: string;
  runId: string;
  target: string;
  requestedBy: string;
  startedAt?: string;
}

export interface StartedUpgrade extends Omit<Extract<PlanResult, { kind: 'plan' }>, 'kind'> {
  workflowId: string;
  runId: string;
}

/** Names the gate's workflow, or the cluster from which it follows. */
export interface DecideRequest {
  workflowId?: string;
  cluster?: string;
  gateId: string;
  choice: string;
  actor: Actor;
  reason?: string;
  /** Revision of the status that the clicker saw. */
  revision: number;
  /** Of the plan that the clicker was shown. */
  planHash?: string;
  /** Run id of the upgrade that the button belongs to; a button of an earlier run is refused. */
  run?: string;
  /** Who decides by command line shows who that is. */
  prove?: Prove;
  /** Despite the gate's rules; needs `prove`. */
  breakGlass?: boolean;
  /** One press for several runs: the id of their bundle, and when it was pressed. */
  bundle?: string;
  at?: string;
}

export interface ControlRequest {
  workflowId?: string;
  cluster?: string;
  actor: Actor;
  reason?: string;
  /** The same press of a button or the same command has the same id, so that a repeated delivery acts once. */
  requestId?: string;
  run?: string;
  prove?: Prove;
}

export interface PaceRequest extends ControlRequest {
  /** As domain/policy/pace parses it. */
  pace: string;
}

export interface ExtendRequest extends ControlRequest {
  gateId: string;
  /** From the present deadline on. */
  byMs: number;
}

export interface HandOverRequest extends ControlRequest {
  /** Who asks for the run from now on. */
  to: Actor;
}

/** `answered`: a worker replied. `kept`: Temporal holds it; it is applied when a worker is back. */
export interface Answer {
  reply: DecisionReply;
  how: 'answered' | 'kept';
}

/** What Temporal knows about a run without any worker. */
export interface VisibilityStatus {
  workflowId: string;
  runId: string;
  cluster: string;
  target?: string;
  phase?: string;
  waitingFor?: string;
  requestedBy?: string;
  /** Temporal's word, such as RUNNING, COMPLETED, FAILED. */
  execution: string;
  /** ISO 8601 */
  startedAt: string;
  endedAt?: string;
}

export interface Listed {
  runs: VisibilityStatus[];
  /** Freezes that were kept when their run ended and still wait for people, each under the id of that run; `startedAt`: since when. */
  keptFreezes: VisibilityStatus[];
}

export interface KnownRun {
  /** The first one of those that continue each other. */
  runId: string;
  isOpen: boolean;
}

export type StatusAnswer =
  | { source: 'workflow'; status: UpgradeStatus }
  /** `why`: the sentence that says why the workflow itself was not asked. */
  | { source: 'visibility'; status: VisibilityStatus; why: string };

/** Rejects with `UpgradesError` only; its message is for people. */
export interface Upgrades {
  plan(request: PlanRequest): Promise<PlanResult>;
  /** Plans first; refuses (code `refused`, with violations) without starting anything. */
  start(request: PlanRequest): Promise<StartedUpgrade>;
  /** The way back of a control plane that has been moved up in the last seven days, or of one step of the last run. */
  planRollback(request: BackRequest): Promise<PlanResult>;
  /** As `start`, for the way back: a run like any other, which holds the cluster's lock. */
  startBack(request: BackRequest): Promise<StartedUpgrade>;
  /** Which steps of the last run can be undone now, each with its cost and until when, or why not. */
  undoOptions(cluster: string): Promise<UndoOption[]>;
  /** Resolves once the check runs (or is done): what it finds is told in the channel. */
  check(request: CheckRequest): Promise<StartedCheck>;
  /** Likewise: what the upgrade is going to do, played on a snapshot. */
  forecast(request: ForecastRequest): Promise<StartedCheck>;
  /** What a check finds, told to nobody else; one that runs already for the same version is shared. */
  readiness(request: Omit<CheckRequest, 'channel' | 'since'>): Promise<ReadinessSummary>;
  /** Versions of clusters by their names in belay.yaml. What cannot be read of one says why. */
  versions(clusters: readonly string[]): Promise<FleetVersions>;
  decide(request: DecideRequest): Promise<Answer>;
  pause(request: ControlRequest): Promise<Answer>;
  resume(request: ControlRequest): Promise<Answer>;
  abort(request: ControlRequest): Promise<Answer>;
  /** How fast Karpenter replaces its nodes, from now on. */
  pace(request: PaceRequest): Promise<Answer>;
  /** More time for an open gate. */
  extend(request: ExtendRequest): Promise<Answer>;
  handOver(request: HandOverRequest): Promise<Answer>;
  /** What runs have left behind on a cluster, and what became of it. */
  reconcile(request: ReconcileRequest): Promise<ReconcileReport>;
  status(cluster: string): Promise<StatusAnswer>;
  /** As Temporal alone knows it; undefined: it knows none. */
  newestRun(cluster: string): Promise<KnownRun | undefined>;
  /** Upgrades that run now. */
  list(): Promise<VisibilityStatus[]>;
  /** Those, and what has outlived others. */
  listAll(): Promise<Listed>;
  /** Why no run starts or continues, in one or two sentences; undefined: workers get work, or Temporal does not say. Never throws. */
  standstill(): Promise<string | undefined>;
  /** Whether a request of Slack is taken now; false: it was before, by this process or another. See claim-request.ts. */
  claim(requestId: string): Promise<boolean>;
  /** For the audit record: something was refused before it belonged to a run. Returns at once, and never throws. */
  refused(refusal: DoorRefusal): void;
}

export type UpgradesErrorCode =
  | 'unreachable' // Temporal does not answer
  | 'no-worker' // Temporal answers, nobody works on the task queue
  | 'already-running'
  | 'not-running'
  | 'forgotten' // Temporal does not know the run that a message is of
  | 'refused' // the plan breaks a rule
  | 'invalid' // bad input
  | 'failed';

/** One or two sentences that name the fix; `code` for callers that branch. */
export class UpgradesError extends Error {
  readonly code: UpgradesErrorCode;
  readonly violations: RuleViolation[];

  constructor(code: UpgradesErrorCode, message: string, options: { violations?: RuleViolation[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'UpgradesError';
    this.code = code;
    this.violations = options.violations ?? [];
  }
}

export interface UpgradesSettings {
  /** Signs what carries no proof of its own: the key of the Slack process. */
  prove?: Prove;
  /** Resolves a name of belay.yaml; throws an error that names the known clusters. */
  resolveCluster(name: string): ClusterRef;
  /** Throws where belay.yaml lacks what a run needs (approvers, channel). */
  checkStart?(name: string): void;
  /** For search attribute BelayEnvironment. */
  environmentOf?(name: string): string | undefined;
  taskQueue?: string;
  /** How long a worker has to answer before a message is kept as a signal. Default 2 s. */
  withinMs?: number;
  /** Time limit of planning, and of the wait for a worker to begin with a check. Default 30 s, and 12 s. */
  planWithinMs?: number;
}

/** Something refused before it belonged to a run. */
export interface DoorRefusal {
  /** One sentence: what was refused, and why. */
  what: string;
  /** As the request says: not to be believed where it was forged. */
  actor?: Actor;
}
