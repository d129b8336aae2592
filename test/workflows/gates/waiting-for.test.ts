/** By which gate Temporal finds a run that waits for people, where several are open. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { HealthTrouble } from '../../../activities/contract/health.ts';
import { healthOf } from '../../../domain/policy/config/health/health.ts';
import { changePace } from '../../../workflows/contract/messages.ts';
import { fakeActivities, quickPolicy, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { SAM, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const RIN = { kind: 'slack' as const, id: 'U0RIN', name: 'Rin' };
const [HEALTH, PACE] = ['health:karpenter-drift@1.32#1', 'pace:karpenter-drift@1.32#1'];
const { policy } = healthOf([]);
const SLOW: HealthTrouble = { kind: 'fail', checks: ['api-server-latency'], lines: ['api-server-latency: 6.1, limit > 1'] };

test('a gate that closes leaves the one that is still open', async () => {
  const made = plan(['freeze-drift', 'karpenter-drift']);
  const quick = quickPolicy();
  const fake = fakeActivities({ plan: made, policy: quickPolicy({ health: policy, approvals: { ...quick.approvals, quorum: 2 } }) });
  const health = policy.checks.map(({ name }) => ({ name, kind: 'live' as const, baseline: 0.2 }));
  let isTold = false;
  const activities = withChange(fake, {
    makePlan: async () => ({ kind: 'plan', plan: made, health }),
    watchHealth: async ({ phase }) => {
      if (phase !== 'karpenter-drift' || isTold) return untilCancelled();
      isTold = true;
      return SLOW;
    },
    watchDrift: async () => untilCancelled(),
  });
  await withUpgrade(env, activities, async (run) => {
    const opened = (id: string) => run.until(({ gates }) => gates.some((gate) => gate.id === id));
    const waitingFor = async (): Promise<unknown> => (await run.handle.describe()).searchAttributes['BelayWaitingFor'];
    const pace = (wanted: string) => run.handle.executeUpdate(changePace, { args: [{ pace: wanted, actor: SAM }] });
    const both = async (id: string, choice: string): Promise<void> => {
      await run.decide(id, choice);
      await run.decide(id, choice, { actor: RIN });
    };
    const before = 'before:karpenter-drift@1.32#1';
    await opened(before);
    await both(before, 'approve');
    await opened(HEALTH);
    expect(await waitingFor()).toEqual([HEALTH]);
    await pace('original');
    await opened(PACE);
    expect(await waitingFor()).toEqual([HEALTH]);
    // The gate for the faster pace is out of date then.
    await pace('freeze');
    await run.until(({ gates }) => gates.every(({ id }) => id !== PACE));
    expect(await waitingFor()).toEqual([HEALTH]);
    await pace('original');
    await opened(PACE.replace('#1', '#2'));
    await both(HEALTH, 'continue');
    await run.until(({ gates }) => gates.every(({ id }) => id !== HEALTH));
    expect(await waitingFor()).toEqual([PACE.replace('#1', '#2')]);
  });
});
