/** Starts a step's child workflow and waits for its result; the freeze's guard alone outlives its step. */
import { executeChild, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import type { Skipped } from '../../domain/core/findings.ts';
import type { RetryMode } from '../../domain/run/failure-causes.ts';
import { parseStepId } from '../../domain/core/phases.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { FreezeHold } from './freeze-guard.ts';
import { stepWorkflowId } from '../contract/ids.ts';
import type { ChildProgress, UpgradeInput } from '../contract/messages.ts';
import { PHASE_WORKFLOWS } from '../contract/phase-workflows.ts';
import { afterEarlier } from './take-over-step.ts';
import type { Note } from '../messages/note.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import type { PhaseInput, PhaseResult } from '../contract/phase.ts';
import { defined } from '../../domain/core/defined.ts';

export function runStep(
  step: PlannedStep,
  round: number,
  of: Pick<UpgradeInput, 'cluster'> & {
    /** As it is by then: the run may be handed over. */
    asks: Readonly<Pick<UpgradeStatus, 'requestedBy' | 'formerly'>>;
    policy: UpgradePolicy;
    plan: UpgradePlan;
    freeze: FreezeHold;
    run?: PhaseInput['run'];
    windowWaived: boolean;
    alertsWaived: boolean;
    mode?: RetryMode;
    /** So far in this run. */
    skipped: readonly Skipped[];
    /** What the step had left to tell when it ended. */
    told: (progress: ChildProgress) => void;
    tell: (note: Note) => void;
  },
): Promise<PhaseResult> {
  const { cluster } = of;
  const { workflowId, runId, firstExecutionRunId } = workflowInfo();
  // As it is when the step starts: one that waits for an earlier run's step may start minutes later, with another requester and another guard.
  const inputNow = (): PhaseInput => ({
    upgrade: { workflowId, runId },
    ...defined({ run: of.run }),
    firstRunId: firstExecutionRunId,
    cluster,
    policy: of.policy,
    requestedBy: of.asks.requestedBy,
    ...defined({ formerly: of.asks.formerly }),
    step,
    planHash: of.plan.hash,
    round,
    ...defined({ mode: of.mode }),
    ...(step.phase === 'pre-checks' || step.phase === 'rollback-checks' ? { later: stepsAfter(step, of.plan).map(({ id }) => id) } : {}),
    ...(step.phase === 'pre-checks' ? { moving: movedBefore(parseStepId(step.id), of.plan), switching: switchedAfter(step, of.plan) } : {}),
    ...(step.phase === 'validation' && of.skipped.length > 0 ? { skipped: [...of.skipped] } : {}),
    freezeGuard: of.freeze.guard,
    ...of.freeze.how,
    ...(of.windowWaived || isBack(of.plan) ? { windowWaived: true } : {}),
    ...(of.alertsWaived ? { alertsWaived: true } : {}),
  });
  const options = {
    workflowId: stepWorkflowId(workflowId, step.id),
    staticSummary: `${cluster.name}: ${step.title}`,
    staticDetails: `${step.why}\n\nWhat can be undone afterwards: ${undoText(step)}`,
  };
  if (step.phase === 'freeze-drift') return of.freeze.start(step, inputNow(), options);
  const start = (): Promise<PhaseResult> =>
    executeChild<(input: PhaseInput) => Promise<PhaseResult>>(PHASE_WORKFLOWS[step.phase], {
      ...options,
      args: [inputNow()],
      // A step cleans up after itself before the run continues to its end.
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
  const ended = afterEarlier({ id: options.workflowId, title: step.title, by: workflowId, tell: of.tell }, start);
  return ended.then((result) => heard(step, result, of.told));
}

/** It is asked for when something is wrong: neither a window nor a change freeze holds it. */
const isBack = ({ kind }: UpgradePlan): boolean => kind === 'back' || kind === 'undo';

function heard({ id }: PlannedStep, { told, ...result }: PhaseResult, tell: (progress: ChildProgress) => void): PhaseResult {
  if (told !== undefined) tell({ step: id, ...told });
  return result;
}

function stepsAfter({ id }: PlannedStep, { steps }: UpgradePlan): PlannedStep[] {
  return steps.slice(steps.findIndex((each) => each.id === id) + 1);
}

/** NodePools that a later step points at another node class. */
function switchedAfter(step: PlannedStep, plan: UpgradePlan): string[] {
  return stepsAfter(step, plan).flatMap(({ params }) =>
    params.phase === 'freeze-drift' ? (params.switches ?? []).map(({ nodePool }) => nodePool) : [],
  );
}

/** Add-ons that the bridge of the step's own hop moves. */
function movedBefore({ minor }: { minor: string }, { steps }: UpgradePlan): string[] {
  return steps.flatMap(({ id, params }) =>
    params.phase === 'add-ons-bridge' && parseStepId(id).minor === minor ? params.changes.map(({ name }) => name) : [],
  );
}
