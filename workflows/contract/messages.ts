/** Names and shapes of everything that is sent to a workflow. Values and types only: slack/ and cli/ import this too. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import type { DecideGateInput, DecisionReply, GateState, OpenGate } from '../../domain/gates/gate.ts';
import type { EventData } from '../../domain/run/events/event.ts';
import type { Notification } from '../../domain/run/notifications.ts';
import type { NodeStrategy, UpgradePolicy } from '../../domain/policy/policy.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import type { CampaignRun } from '../../domain/plan/campaign/types.ts';
import type { Stamped } from './stamp.ts';
import type { FreezeView, Rolled, StepState, UpgradeStatus } from '../../domain/run/record/status.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { Ask } from '../../domain/run/record/change-requests.ts';
import type { Signed } from '../../domain/gates/signed-message.ts';

export interface UpgradeInput extends Omit<Signed, 'run'> {
  cluster: ClusterRef;
  target: string;
  strategy?: NodeStrategy;
  /** To the minor that the control plane came from; `target` is that minor. */
  back?: true;
  /** With `back`: the control plane stays, and one step of the last run is undone; its name. */
  undo?: string;
  requestedBy: Actor;
  /** The campaign that has started it. */
  campaign?: CampaignRun;
}

export interface CheckInput {
  cluster: ClusterRef;
  /** "1.34" */
  target: string;
  requestedBy: Actor;
  /** Slack channel id: where it was asked for. Absent: nobody is told, the result alone is wanted. */
  channel?: string;
  /** An earlier check of the same cluster to the same target: the message says what has changed since. */
  before?: ReadinessSummary;
}

export interface ForecastInput {
  cluster: ClusterRef;
  /** "1.34" */
  target: string;
  /** Absent: as belay.yaml says. */
  strategy?: NodeStrategy;
  requestedBy: Actor;
  /** Slack channel id: where it was asked for. */
  channel: string;
}

/** `apply` false: a look, which changes nothing. */
export interface ReconcileInput extends Omit<Signed, 'run'> {
  cluster: ClusterRef;
  requestedBy: Actor;
  apply: boolean;
  /** Also what keeps nodes from being replaced although they lag behind the control plane: Karpenter then replaces them. */
  roll?: boolean;
  reason?: string;
}

export interface VersionsInput {
  clusters: ClusterRef[];
}

/** What of the last run can be undone. */
export interface UndoListInput {
  cluster: ClusterRef;
}

export interface ControlInput extends Signed {
  actor: Actor;
  reason?: string;
}

/** `pace`: as domain/policy/pace parses it. */
export interface PaceInput extends ControlInput {
  pace: string;
}

/** More time for an open gate, from its present deadline on. */
export interface ExtendInput extends ControlInput {
  gateId: string;
  byMs: number;
}

/** `to` asks for the run from now on. */
export interface HandOverInput extends ControlInput {
  to: Actor;
}

/** Who asked for the run now, and who did before: four eyes hold for all of them. */
export interface Requesters extends Stamped {
  requestedBy: Actor;
  formerly: Actor[];
}

/** Workflow types, by name: starters need no workflow code. */
export const WORKFLOWS = {
  upgrade: 'upgradeCluster',
  plan: 'planUpgrade',
  check: 'checkCluster',
  forecast: 'forecastCluster',
  versions: 'readVersions',
  undoList: 'listUndo',
  refusals: 'recordRefusals',
  claim: 'claimRequest',
  rollbackWindow: 'rollbackWindow',
  reconcile: 'reconcileCluster',
  campaign: 'runCampaign',
  campaignPlan: 'planCampaign',
  ringRollbackPlan: 'planRingRollback',
  proposals: 'proposeCampaigns',
} as const;

export const decideGate = defineUpdate<DecisionReply, [DecideGateInput]>('decideGate');
/** The durable fallback of `decideGate` when no worker answers. */
export const gateDecision = defineSignal<[DecideGateInput]>('gateDecision');

export const pauseUpgrade = defineUpdate<DecisionReply, [ControlInput]>('pauseUpgrade');
export const resumeUpgrade = defineUpdate<DecisionReply, [ControlInput]>('resumeUpgrade');
export const abortUpgrade = defineUpdate<DecisionReply, [ControlInput]>('abortUpgrade');
export const pauseRequested = defineSignal<[ControlInput]>('pauseRequested');
export const resumeRequested = defineSignal<[ControlInput]>('resumeRequested');
export const abortRequested = defineSignal<[ControlInput]>('abortRequested');

/** To the run while its Karpenter nodes roll; it passes on to the step what an approver has chosen. */
export const changePace = defineUpdate<DecisionReply, [PaceInput]>('changePace');
export const paceRequested = defineSignal<[PaceInput]>('paceRequested');
export const paceChosen = defineSignal<[PaceInput & Stamped]>('paceChosen');
/** To the step that rolls nodes: `why` it is held; none, and it goes on. */
export const rollHeld = defineSignal<[{ why?: string } & Stamped]>('rollHeld');

/** To the workflow that waits for the gate. */
export const extendGate = defineUpdate<DecisionReply, [ExtendInput]>('extendGate');
export const extendRequested = defineSignal<[ExtendInput]>('extendRequested');

export const handOverUpgrade = defineUpdate<DecisionReply, [HandOverInput]>('handOverUpgrade');
export const handOverRequested = defineSignal<[HandOverInput]>('handOverRequested');
/** To steps that run. */
export const requestersChanged = defineSignal<[Requesters]>('requestersChanged');
/** From whoever sent what a validator refused: a refused update leaves nothing in the history. */
export interface RefusedAttempt {
  /** The update's id, or another that is new for each attempt. */
  id: string;
  actor: Actor;
  /** `decide`, `pause`. */
  tried: string;
  gate?: string;
  choice?: string;
  reason?: string;
  why: string;
}
export const attemptRefused = defineSignal<[RefusedAttempt]>('attemptRefused');

/** To `recordRefusals`: refused before it belonged to a run. */
export const refusedAtTheDoor = defineSignal<[AuditEvent[]]>('refusedAtTheDoor');

export const upgradeStatus = defineQuery<UpgradeStatus>('upgradeStatus');
/** To a step: its open gates. A run hears of them itself, but not of those that are opened after its end. */
export const openGates = defineQuery<UpgradeStatus['gates']>('openGates');

/** Children tell the parent how they are getting on. */
export interface ChildProgress extends Stamped {
  step: string;
  state?: StepState;
  note?: string;
  rolled?: Rolled;
  gateOpened?: OpenGate;
  /** How a gate of the child was closed: for the record. */
  gateClosed?: GateState;
  freeze?: FreezeView;
  /** Said loudly in the report. */
  notRestored?: { what: string; why: string };
  /** What was asked of others, where there is no channel in which `say` would tell it. */
  asked?: { ask: Ask; text: string }[];
  /** What the parent tells people for the child: one queue to Slack per run. */
  say?: { key: string; notification: Notification }[];
  /** For the run's audit record. */
  audit?: AuditEvent[];
  /** EKS has begun to move the control plane; null: that has ended without. */
  update?: { updateId: string; from: string; to: string } | null;
}
export const childProgress = defineSignal<[ChildProgress]>('childProgress');

/** To a step of a run that is gone: another run of the cluster has come to this step, and watches what it watches. */
export const stepTakenOver = defineSignal<[{ by: string }]>('stepTakenOver');

/** To a run or a freeze's guard, from somebody who wants to know whether it lives: no answer is needed, only that it can be told. */
export const areYouThere = defineSignal('areYouThere');

/** To the freeze's guard. */
export const setDriftPace = defineSignal<[{ nodes: string; replyTo: string } & Stamped]>('setDriftPace');
export const settleFreeze = defineSignal<[{ reason: string; lift: boolean; replyTo?: string } & Stamped]>('settleFreeze');
/** To the guard of an earlier run that kept its freeze: another run's guard watches from now on. */
export const freezeTakenOver = defineSignal<[{ by: string } & Stamped]>('freezeTakenOver');
/** From the guard: the budgets now say so. `restarted`, from the run: another guard has taken the place of one that has died, and drift is frozen. */
export const freezeChanged =
  defineSignal<[{ nodes?: string; settled?: boolean; kept?: boolean; problem?: string; restarted?: true } & Stamped]>('freezeChanged');

/** What the clock of a cluster's way back needs to know. */
export interface RollbackWindowInput {
  cluster: ClusterRef;
  /** The run that has moved the control plane: its thread. */
  upgrade: { workflowId: string; runId: string };
  policy: Pick<UpgradePolicy, 'channel' | 'timing' | 'windows'> & Partial<Pick<UpgradePolicy, 'deliveries' | 'temporalUi' | 'environment'>>;
  /** For who hears of it beside Slack. */
  run?: EventData['run'];
  /** The minor that the run has moved to. */
  at: string;
  /** An update of the control plane that was under way when its run ended: it may still bring the cluster to `to`, from `at`. */
  pending?: { updateId: string; to: string };
}

/** To the clock: the control plane has moved once more, up by the run that is given, or back. */
export const controlPlaneMoved = defineSignal<[{ up?: RollbackWindowInput } & Stamped]>('controlPlaneMoved');

/** Search attributes, all Keyword. */
export const SEARCH_ATTRIBUTES = [
  'BelayCluster',
  'BelayEnvironment',
  'BelayTarget',
  'BelayPhase',
  'BelayWaitingFor',
  'BelayRequestedBy',
  'BelayCampaign',
  'BelayRing',
] as const;

export type Told = Omit<ChildProgress, 'step'>;
