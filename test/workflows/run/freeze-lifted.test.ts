/** A freeze that was lifted in the middle of a run stays lifted, and the end of the run is told only after its NodePools were read. */
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { protectAll } from '../../../activities/run/protection.ts';
import { count, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { type RunningUpgrade, startUpgrade, withUpgrade } from '../../support/upgrade.ts';
import { beforeChange } from '../../../activities/runtime/before-change.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const AFTER_THE_ROLL = plan(['freeze-drift', 'control-plane', 'karpenter-drift', 'add-ons-target']);

/** Before it changes an add-on, the activity looks at the freeze, and puts it back, as the real one does. */
function looking(fake: ReturnType<typeof fakeActivities>): BelayActivities {
  const { startAddOnUpdate, freezeDrift } = fake.activities;
  const activities = withChange(fake, {
    startAddOnUpdate: async (input) => {
      await beforeChange();
      return await startAddOnUpdate(input);
    },
  });
  return protectAll(activities, {
    freeze: {
      checkFreeze: async () => {
        const intact = fake.world.budgets?.nodes === '0';
        return { intact, reverted: intact ? [] : ['default'], pools: ['default'] };
      },
      freezeDrift,
    },
    exclusion: async () => ({ kind: 'open' }),
    alerts: async () => ({ kind: 'quiet' }),
  });
}

async function withLateGuard<T>(activities: BelayActivities, main: (run: RunningUpgrade) => Promise<T>): Promise<T> {
  const path = fileURLToPath(new URL('../support/late-guards.ts', import.meta.url));
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, activities, taskQueue, { bundle: workflowBundle({ moreInterceptors: [path] }) });
  return await worker.runUntil(async () => main(await startUpgrade(env, taskQueue)));
}

describe('a guard that has lifted the freeze and has not ended yet', () => {
  test('RS1: no later step freezes NodePools again: nobody would be left to lift that', async () => {
    const fake = fakeActivities({ plan: AFTER_THE_ROLL });
    const report = await withLateGuard(looking(fake), (run) => run.finish());
    expect([report.outcome, report.leftBehind]).toEqual(['completed', []]);
    expect(fake.world.budgets).toBeUndefined();
    expect(count(fake.world, 'freezeDrift')).toBe(1);
    expect(inputs(fake.world, 'startAddOnUpdate')).not.toHaveLength(0);
  });

  test('RS1: one that is terminated then is not replaced: another one would freeze NodePools again', async () => {
    const fake = fakeActivities({ plan: AFTER_THE_ROLL });
    const activities = withChange(fake, {
      startAddOnUpdate: async (input) => {
        const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
        await env.client.workflow.getHandle(workflowId.replace('add-ons-target', 'freeze-drift')).terminate('test');
        return await fake.activities.startAddOnUpdate(input);
      },
    });
    const report = await withLateGuard(activities, (run) => run.finish());
    expect([report.outcome, report.leftBehind]).toEqual(['completed', []]);
    expect(count(fake.world, 'freezeDrift')).toBe(1);
  });
});

describe('a guard that says that it has lifted the freeze', () => {
  const LEFT = {
    what: 'Karpenter drift freeze',
    why: expect.stringContaining("NodePool default still has Belay's budget entry"),
    kept: false,
  };

  test('RS1: the end of the run is told as the NodePools have it', async () => {
    const fake = fakeActivities({ plan: AFTER_THE_ROLL });
    // As somebody can complete it who reaches Temporal: by its id, with a result of an earlier run.
    const activities = withChange(fake, { restoreBudgets: async () => ({ restored: ['default'], changedByOthers: [], failed: [] }) });
    const { leftBehind, status } = await withUpgrade(env, activities, (run) => run.finish());
    expect([leftBehind, status.freeze]).toMatchObject([[LEFT], { state: 'not-restored' }]);
    expect(JSON.stringify(fake.world.published.at(-1))).toContain("NodePool default still has Belay's budget entry");
  });

  test('RS1: NodePools that cannot be read are not said to be as before', async () => {
    const fake = fakeActivities({ plan: AFTER_THE_ROLL });
    const denied = ApplicationFailure.nonRetryable('listing nodepools: Kubernetes answered 403', 'AccessDenied');
    const activities = withChange(fake, { findFrozen: () => Promise.reject(denied) });
    const { leftBehind } = await withUpgrade(env, activities, (run) => run.finish());
    expect(leftBehind).toMatchObject([{ what: LEFT.what, why: expect.stringContaining('listing nodepools: Kubernetes answered 403') }]);
  });

  test('a run that freezes nothing reads nothing of it', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks', 'control-plane']) });
    expect((await withUpgrade(env, fake.activities, (run) => run.finish())).leftBehind).toEqual([]);
    expect(count(fake.world, 'findFrozen')).toBe(0);
  });
});
