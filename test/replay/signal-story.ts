/** People whose worker does not answer, so that everything they want comes by signal; and a run whose step and freeze another one takes over. For the recording. */
import {
  abortRequested,
  abortUpgrade,
  areYouThere,
  attemptRefused,
  changePace,
  extendRequested,
  freezeTakenOver,
  handOverRequested,
  paceRequested,
  pauseRequested,
  resumeRequested,
  stepTakenOver,
} from '../../workflows/contract/messages.ts';
import { fakeActivities, sleepBeating, untilCancelled, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { stampedNow } from '../support/stamped.ts';
import { ALEX, approveAll, type Decider, SAM, withUpgrade } from '../support/upgrade.ts';
import { type Story, told } from './story.ts';

const FIRST = 'before:pre-checks@1.32#1';
const RIN = { kind: 'slack' as const, id: 'U0RIN', name: 'Rin' };

/** Paused, extended, handed over, paced and aborted, none of it by an update. */
export function steeredBySignals(): Story {
  const fake = fakeActivities({
    plan: plan(['pre-checks', 'freeze-drift', 'karpenter-drift'], (each) =>
      each.params.phase === 'karpenter-drift'
        ? { ...each, params: { ...each.params, offeredPaces: ['freeze', '1', '10%', '20%', 'original'] } }
        : each,
    ),
  });
  return told(
    fake,
    {
      watchDrift: async ({ watchMs }) => {
        if (watchMs === undefined) return untilCancelled();
        await sleepBeating(20);
        return { kind: 'pace-elapsed', replacedCount: 1, remainingCount: 2 };
      },
    },
    async (run, world) => {
      await run.until(({ gates }) => gates.length > 0);
      await run.handle.signal(areYouThere);
      await run.handle.signal(attemptRefused, {
        id: 'a-1',
        actor: RIN,
        tried: 'decide',
        gate: FIRST,
        choice: 'approve',
        why: 'not an approver',
      });
      await run.handle.signal(pauseRequested, { actor: ALEX });
      await run.until(({ pauseRequested: isPaused }) => isPaused);
      await run.handle.signal(resumeRequested, { actor: ALEX });
      await run.handle.signal(extendRequested, { gateId: FIRST, byMs: 60_000, actor: ALEX });
      await run.handle.signal(handOverRequested, { actor: ALEX, to: RIN });
      await run.until(({ requestedBy }) => requestedBy.id === RIN.id);
      const latest: Decider = (gate) => approveAll(gate, 0);
      await run.decide(FIRST, 'approve', { revision: (await run.status()).gates[0]?.revision ?? 1 });
      await run.until(() => world.budgets?.nodes === '10%', latest);
      await run.handle.signal(paceRequested, { pace: 'freeze', actor: SAM });
      await run.until(() => world.budgets?.nodes === '0', latest);
      await run.handle.executeUpdate(changePace, { args: [{ pace: '20%', actor: SAM }] });
      await run.until(() => world.budgets?.nodes === '20%', latest);
      await run.handle.signal(abortRequested, { actor: RIN, reason: 'enough' });
      await run.finish(latest);
    },
  );
}

/** Its step is told to stop watching; the guard that has kept its freeze hands it over. */
export const takenOver: Story = (env) => {
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'control-plane', 'bake']) });
  const activities = withChange(fake, { awaitUpdate: async () => untilCancelled() });
  return withUpgrade(env, activities, async (run) => {
    await run.until(({ steps }) => steps.some(({ note = '' }) => note.startsWith('EKS update')), approveAll);
    const [step, guard] = ['control-plane@1.32', 'freeze-drift@1.32'].map((id) => env.client.workflow.getHandle(`${run.workflowId}/${id}`));
    fake.world.controlPlane = '1.32';
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] });
    await step?.signal(stepTakenOver, stampedNow(stepTakenOver, { by: 'another-run' }));
    await run.handle.result().catch(() => undefined);
    await guard?.signal(freezeTakenOver, stampedNow(freezeTakenOver, { by: 'another-guard' }));
    await guard?.result();
    return run.workflowId;
  });
};
