/** What a phase workflow is started with, and what it gives back. */
import type { EventData } from '../../domain/run/events/event.ts';
import type { PublishInput } from '../../domain/run/notifications.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { RetryMode } from '../../domain/run/failure-causes.ts';
import type { PhaseId, StepId } from '../../domain/core/phases.ts';
import type { FreezeMeans } from '../../domain/policy/freeze-means.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { StepParams } from '../../domain/plan/model/step-params.ts';
import { ApplicationFailure } from '@temporalio/workflow';
import type { Skipped } from '../../domain/core/findings.ts';
import type { Told } from './messages.ts';
import { defined } from '../../domain/core/defined.ts';

export interface PhaseInput {
  upgrade: PublishInput['upgrade'];
  /** For who hears of runs beside Slack, of a step that outlives its run; absent: nobody does. */
  run?: EventData['run'];
  /** First execution run id of the parent: the tokens' root. */
  firstRunId: string;
  cluster: ClusterRef;
  policy: UpgradePolicy;
  requestedBy: Actor;
  /** Who asked before the run was handed over. */
  formerly?: Actor[];
  step: PlannedStep;
  /** Of the plan that the step is of. */
  planHash?: string;
  /** Counts the human retries of this step, from 1. */
  round: number;
  /** How people want this round to differ from the one before. */
  mode?: RetryMode;
  /** For pre-checks: the steps after this one. What they deal with does not stop this one. */
  later?: StepId[];
  /** For pre-checks: the add-ons that this hop moves before its control plane. */
  moving?: string[];
  /** For pre-checks: the NodePools that a later step points at another node class. */
  switching?: string[];
  /** People let the step begin although alerts fire. */
  alertsWaived?: true;
  /** The guard of the freeze, where there is one. */
  freezeGuard?: string;
  /** By which means the drift is frozen, where those are not budgets alone. */
  freezeMeans?: FreezeMeans;
  /** NodePools that are frozen. Absent: every one. */
  freezePools?: string[];
  /** A guard in the place of one that has died: the control plane's version when the freeze began, where the run knows it. */
  instead?: { controlPlaneBefore?: string };
  /** People let the step begin outside the maintenance windows: its waves do not ask again. */
  windowWaived?: true;
  /** For validation: what people have left as it is. */
  skipped?: Skipped[];
}

export interface PhaseResult {
  /** One sentence: what is true now. */
  summary: string;
  /** For the next gate. */
  evidence?: GateEvidence[];
  /** Of a step that has moved the control plane up: when EKS began with it, ISO 8601. */
  movedAt?: string;
  /** Of a freeze's guard that was cancelled while its run goes on. */
  unasked?: true;
  /** Of a step at whose end the guard has lifted the freeze: there is nothing left to hold, whenever the guard's own workflow ends. */
  freezeLifted?: true;
  /** Of a step in which people left something as it is: validation accepts that. */
  skipped?: Skipped[];
  /** When its roll was frozen, ISO 8601: that is no time that it takes. */
  held?: { from: string; to: string }[];
  /** What the step had left to tell its run: a signal of its own would cost both histories more. */
  told?: Told;
}

export type PhaseWorkflow = (input: PhaseInput) => Promise<PhaseResult>;

/** The parameters of a step, narrowed to its phase. */
export function paramsOf<P extends PhaseId>(input: PhaseInput, phase: P): Extract<StepParams, { phase: P }> {
  const { params } = input.step;
  if (params.phase !== phase) {
    throw ApplicationFailure.nonRetryable(`reading the plan: step ${input.step.id} carries parameters of ${params.phase}`, 'PhaseFailed');
  }
  return params as Extract<StepParams, { phase: P }>;
}

/**
 * How a freeze is made, for its guard and for the steps after it. A way back freezes the plan's NodePools alone: EKS replaces nodes of Auto Mode before it
 * takes the control plane back, within the budgets of their NodePools (EKS user guide, "Rollback cluster to previous Kubernetes version").
 */
export function freezeOf(input: PhaseInput): Pick<PhaseInput, 'freezeMeans' | 'freezePools'> {
  const { means, nodePools, back } = paramsOf(input, 'freeze-drift');
  return defined({ freezeMeans: means, freezePools: back === undefined ? undefined : nodePools });
}
