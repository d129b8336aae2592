/** With a quorum, one vote stops and looks; whatever goes on or destroys waits for the others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/common';
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { changePace } from '../../../workflows/contract/messages.ts';
import { count, fakeActivities, quickPolicy, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { type RunningUpgrade, SAM, withUpgrade } from '../../support/upgrade.ts';
import type { ApprovalPolicy } from '../../../domain/gates/approvals.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const RIN = { kind: 'slack' as const, id: 'U0RIN', name: 'Rin' };

/** Who waits is asked again after half of it. */
const DEADLINE_MS = 8_000;

const ofTwo = (change: Partial<ApprovalPolicy> = {}): UpgradePolicy =>
  quickPolicy({
    approvals: { ...quickPolicy().approvals, quorum: 2, ...change },
    timing: { ...quickPolicy().timing, gateDeadlineMs: DEADLINE_MS },
  });

const opened = (run: RunningUpgrade, gate: string): Promise<unknown> => run.until(({ gates }) => gates.some(({ id }) => id === gate));

/** Both people, one after the other. */
async function both(run: RunningUpgrade, gate: string, choice: string): Promise<string[]> {
  await opened(run, gate);
  const first = await run.decide(gate, choice);
  const second = await run.decide(gate, choice, { actor: RIN, revision: 2 });
  return [first.message, second.message];
}

const NODE: BlockedNode = {
  node: 'ip-10-0-1-7',
  nodePool: 'default',
  pod: { namespace: 'shop', name: 'cart-0', controller: { kind: 'ReplicaSet', name: 'cart-6d4f' } },
  reason: 'pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart',
  sinceMs: 60_000,
};

describe('a quorum of two', () => {
  test('RS5: Skip and Retry of a failed step take both; Abort takes one', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks', 'validation']), policy: ofTwo() });
    const activities = withChange(fake, {
      runPreChecks: async () => {
        throw ApplicationFailure.nonRetryable('reading insights: access denied', 'AccessDenied');
      },
    });
    await withUpgrade(env, activities, async (run) => {
      await both(run, 'before:pre-checks@1.32#1', 'approve');
      expect(await both(run, 'failed:pre-checks@1.32#1', 'retry')).toEqual([
        'Recorded: Fixed: continue, 1 of 2 approvals.',
        'Recorded: Fixed: continue.',
      ]);
      await opened(run, 'failed:pre-checks@1.32#2');
      expect(await run.decide('failed:pre-checks@1.32#2', 'skip')).toEqual({
        accepted: true,
        message: 'Recorded: Skip, 1 of 2 approvals.',
      });
      expect((await run.status()).gates[0]).toMatchObject({ progress: '1 of 2 approvals' });
      expect(await run.decide('failed:pre-checks@1.32#2', 'abort', { actor: RIN, revision: 2 })).toEqual({
        accepted: true,
        message: 'Recorded: Abort.',
      });
      await expect(run.finish(() => undefined)).resolves.toMatchObject({ outcome: 'aborted' });
    });
  });

  test('RS5: Delete the pod takes both, Wait takes one; belay.yaml may leave one of them to one approver', async () => {
    for (const singleApprover of [undefined, ['delete-pod']]) {
      const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']), policy: ofTwo({ singleApprover }) });
      const activities = withChange(fake, {
        watchDrift: async () =>
          count(fake.world, 'deletePod') === 0
            ? { kind: 'blocked', node: NODE, replacedCount: 2, remainingCount: 1 }
            : { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 },
      });
      await withUpgrade(env, activities, async (run) => {
        await both(run, 'before:karpenter-drift@1.32#1', 'approve');
        const gate = (round: number): string => `blocked:karpenter-drift@1.32/${NODE.node}#${round}`;
        await opened(run, gate(1));
        expect((await run.decide(gate(1), 'wait')).message).toBe('Recorded: Wait.');
        await opened(run, gate(2));
        const first = await run.decide(gate(2), 'delete-pod');
        if (singleApprover !== undefined) return expect(first.message).toBe('Recorded: Delete the pod.');
        expect(first.message).toBe('Recorded: Delete the pod, 1 of 2 approvals.');
        expect(count(fake.world, 'deletePod')).toBe(0);
        await run.decide(gate(2), 'delete-pod', { actor: RIN, revision: 2 });
        await run.until(() => count(fake.world, 'deletePod') === 1);
      });
    }
  });

  test('RS5: a faster pace opens a gate for both, a slower one is set at once and makes that gate out of date', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']), policy: ofTwo() });
    const { world } = fake;
    let done = false;
    const activities = withChange(fake, {
      watchDrift: async ({ watchMs }) => {
        if (done) return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
        if (watchMs !== undefined) return { kind: 'pace-elapsed', replacedCount: 1, remainingCount: 2 };
        return untilCancelled();
      },
    });
    const pace = (run: RunningUpgrade, wanted: string): Promise<{ message: string }> =>
      run.handle.executeUpdate(changePace, { args: [{ pace: wanted, actor: SAM }] });
    const gate = (round: number): string => `pace:karpenter-drift@1.32#${round}`;
    await withUpgrade(env, activities, async (run) => {
      await both(run, 'before:karpenter-drift@1.32#1', 'approve');
      await run.until(() => world.budgets?.nodes === '10%');
      expect((await pace(run, 'original')).message).toBe(
        `A faster pace needs the approvals of this step: decide at gate ${gate(1)} in the thread.`,
      );
      await opened(run, gate(1));
      expect((await run.decide(gate(1), 'set-pace')).message).toBe('Recorded: Set this pace, 1 of 2 approvals.');
      expect(world.budgets?.nodes).toBe('10%');
      expect((await pace(run, 'freeze')).message).toContain('Karpenter replaces no node');
      await run.until(({ gates }) => world.budgets?.nodes === '0' && !gates.some(({ id }) => id === gate(1)));
      await pace(run, '1');
      await both(run, gate(2), 'set-pace');
      await run.until(() => world.budgets?.nodes === '1');
      await pace(run, 'freeze');
      await run.until(({ freeze }) => world.budgets?.nodes === '0' && freeze.state === 'frozen');
      // Nothing is watched while people hold it frozen: the roll cannot end before the gate is decided.
      done = true;
      await pace(run, 'automatic');
      await both(run, gate(3), 'set-pace');
      await expect(run.finish(() => undefined)).resolves.toMatchObject({ outcome: 'completed' });
    });
  });
});
