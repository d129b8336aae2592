/** Small stand-ins for the workflows, under the same names: what upgrades.ts asks is answered as a test needs it. */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { PlanResult } from '../../domain/plan/model/types.ts';
import type { ReconcileReport } from '../../domain/run/leftovers.ts';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import {
  abortRequested,
  abortUpgrade,
  decideGate,
  gateDecision,
  pauseUpgrade,
  refusedAtTheDoor,
  type UndoListInput,
  type UpgradeInput,
  upgradeStatus,
} from '../../workflows/contract/messages.ts';

const { makePlan } = proxyActivities<{ makePlan(input: UpgradeInput): Promise<PlanResult> }>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 1 },
});

export async function planUpgrade(input: UpgradeInput): Promise<PlanResult> {
  return await makePlan(input);
}

/** How long a run goes on after its end was told, by its cluster. */
const CLOSES_AFTER_MS: Record<string, number> = { 'closes-soon': 1_000, 'never-closes': 600_000 };

/** Waits for a decision or an abort. Returns what it was told. */
export async function upgradeCluster(input: UpgradeInput): Promise<string[]> {
  const heard: string[] = [];
  const ids = new Set<string>();
  let over = false;
  const decide = ({ decisionId, choice, actor }: { decisionId: string; choice: string; actor: { id: string } }): void => {
    if (ids.has(decisionId)) return;
    ids.add(decisionId);
    heard.push(`${choice} by ${actor.id}`);
  };
  setHandler(
    decideGate,
    async (decision) => {
      if (decision.choice === 'slow') await sleep(3_000);
      decide(decision);
      return { accepted: true, message: `${decision.choice} by ${decision.actor.name}` };
    },
    {
      validator: ({ gateId }) => {
        if (gateId !== 'before:control-plane@1.32#1')
          throw ApplicationFailure.nonRetryable('This gate is closed already.', 'DecisionRefused');
      },
    },
  );
  setHandler(gateDecision, decide);
  setHandler(pauseUpgrade, () => {
    heard.push('paused');
    return { accepted: true, message: `Paused ${heard.filter((word) => word === 'paused').length} times.` };
  });
  setHandler(abortUpgrade, () => {
    over = true;
    return { accepted: true, message: 'Aborting.' };
  });
  setHandler(abortRequested, () => {
    over = true;
  });
  setHandler(upgradeStatus, (): UpgradeStatus => {
    const { workflowId, runId, startTime } = workflowInfo();
    return {
      workflowId,
      runId,
      cluster: input.cluster,
      to: input.target,
      state: 'waiting',
      headline: 'Waits for a decision.',
      requestedBy: input.requestedBy,
      startedAt: startTime.toISOString(),
      ...(over ? { endedAt: new Date().toISOString() } : {}),
      steps: [],
      gates: [],
      freeze: { state: 'none' },
      pauseRequested: false,
      revision: 1,
    };
  });
  upsertSearchAttributes([{ key: defineSearchAttributeKey('BelayPhase', 'KEYWORD'), value: 'control-plane@1.32' }]);
  await condition(() => over);
  await condition(allHandlersFinished);
  const closesAfterMs = CLOSES_AFTER_MS[input.cluster.name];
  if (closesAfterMs !== undefined) await sleep(closesAfterMs);
  if (input.cluster.name === 'closes-soon') throw ApplicationFailure.nonRetryable('It ends as one that has failed.');
  return heard;
}

/** Something is always left. */
export function reconcileCluster(): Promise<ReconcileReport> {
  return Promise.resolve({ applied: false, items: [{ what: 'NodePools default', outcome: 'to-restore' }], unseen: [] });
}

/** Writes nothing down. */
export async function recordRefusals(): Promise<void> {
  setHandler(refusedAtTheDoor, () => undefined);
  await sleep(1);
}

export { claimRequest } from '../../workflows/requests/claim-request.ts';

/** What can be undone, as a test knows it. */
export async function listUndo({ cluster }: UndoListInput): Promise<UndoOption[]> {
  if (cluster.name === 'unread')
    throw ApplicationFailure.nonRetryable('reading the record of the last run of unread: EACCES', 'Unavailable');
  return [{ step: 'add-ons', possible: true, why: [] }];
}
