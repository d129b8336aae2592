/** Abort, cancellation and termination in every phase: what is running is watched to its end, and the freeze is treated as promised. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { fakeActivities, sleepBeating, withChange } from '../../support/fake-activities.ts';
import { startTemporal } from '../../support/temporal.ts';
import { ALEX, approveAll, type RunningUpgrade, withUpgrade } from '../../support/upgrade.ts';
import { abortUpgrade, freezeTakenOver } from '../../../workflows/contract/messages.ts';
import { stampedNow } from '../../support/stamped.ts';
import { eventually } from '../../support/eventually.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

/** Phases, the activity in whose middle the run is stopped, and whether nodes lag behind the control plane afterwards. */
const MIDDLES: { step: string; activity: keyof BelayActivities; lags: boolean }[] = [
  { step: 'pre-checks@1.32', activity: 'runPreChecks', lags: false },
  { step: 'freeze-drift@1.32', activity: 'freezeDrift', lags: false },
  { step: 'control-plane@1.32', activity: 'awaitUpdate', lags: true },
  { step: 'bake@1.32', activity: 'verifyControlPlane', lags: true },
  { step: 'node-groups@1.32', activity: 'verifyNodeGroup', lags: true },
  { step: 'karpenter-drift@1.32', activity: 'watchDrift', lags: true },
  { step: 'add-ons-target@1.32', activity: 'awaitAddOnHealthy', lags: false },
  { step: 'validation@1.32', activity: 'validateCluster', lags: false },
];

/** Holds one activity for a while, so that the run can be stopped in its middle. It ends by itself: nothing depends on being cancelled. */
function held(activity: keyof BelayActivities): {
  fake: ReturnType<typeof fakeActivities>;
  activities: BelayActivities;
  reached: () => boolean;
} {
  const fake = fakeActivities();
  let reached = false;
  const original = fake.activities[activity] as (input: never) => Promise<unknown>;
  const activities = withChange(fake, {
    [activity]: async (input: never) => {
      reached = true;
      await sleepBeating(800);
      return original(input);
    },
  });
  return { fake, activities, reached: () => reached };
}

const stopped = async (run: RunningUpgrade, reached: () => boolean): Promise<void> => {
  await run.until(() => reached(), approveAll);
};

describe('abort in the middle of a phase', () => {
  test.each(MIDDLES)('T14: $step', async ({ step, activity, lags }) => {
    const { fake, activities, reached } = held(activity);
    await withUpgrade(env, activities, async (run) => {
      await stopped(run, reached);
      const reply = await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX, reason: 'enough' }] });
      expect(reply).toEqual({
        accepted: true,
        message: 'Aborting: Belay waits for what EKS has already started, then undoes its temporary changes.',
      });
      const report = await run.finish();
      expect(report.outcome).toBe('aborted');
      expect(report.status.headline).toBe('Aborted by Alex: enough');
      expect(report.status.steps.find((s) => s.id === step)?.state).toMatch(/aborted|completed/);
      expect(report.status.steps.at(-1)?.state).not.toBe('completed');
      expect(fake.world.budgets?.nodes).toBe(lags ? '0' : undefined);
      expect(report.leftBehind.map((item) => item.kept)).toEqual(lags ? [true] : []);
    });
  });
});

test('a control plane that EKS has moved by the time an abort is over has moved, and the report says until when it can go back', async () => {
  const { fake, activities: bare, reached } = held('awaitUpdate');
  const activities = withChange(
    { ...fake, activities: bare },
    { awaitUpdate: async (input) => ({ ...(await bare.awaitUpdate(input)), createdAt: new Date().toISOString() }) },
  );
  await withUpgrade(env, activities, async (run) => {
    await stopped(run, reached);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX, reason: 'enough' }] });
    const report = await run.finish();
    expect(report.outcome).toBe('aborted');
    expect(fake.world.controlPlane).toBe('1.32');
    expect(report.status.steps.find(({ id }) => id === 'control-plane@1.32')?.state).toBe('completed');
    expect(report.status.takeBack).toMatchObject({ to: '1.31' });
  });
});

test('an abort that comes while a run is ending is refused, and says how it ends', async () => {
  const { activities, reached } = held('writeRecord');
  await withUpgrade(env, activities, async (run) => {
    await stopped(run, reached);
    expect(await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] })).toEqual({
      accepted: false,
      message: 'This upgrade has ended: prod is at 1.32.',
    });
    expect((await run.finish()).outcome).toBe('completed');
  });
});

describe('an end from outside', () => {
  test('T14: a cancelled run watches the control plane to its end and keeps the freeze', async () => {
    const { fake, activities, reached } = held('awaitUpdate');
    await withUpgrade(env, activities, async (run) => {
      await stopped(run, reached);
      await run.handle.cancel();
      await expect(run.handle.result()).rejects.toThrow('Workflow execution cancelled');
      expect(fake.world.controlPlane).toBe('1.32');
      expect(fake.world.budgets?.nodes).toBe('0');
      expect(fake.world.records[0]?.leftBehind).toMatchObject([{ what: 'Karpenter drift freeze', kept: true }]);
    });
  });

  test('T15: a terminated run leaves its guard, which restores before the control plane moved and keeps after', async () => {
    for (const [activity, nodes] of [
      ['runPreChecks', undefined],
      ['verifyControlPlane', '0'],
    ] as const) {
      const { fake, activities, reached } = held(activity);
      await withUpgrade(env, activities, async (run) => {
        const guard = env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`);
        if (activity === 'runPreChecks')
          await run.until(
            (s) => s.gates.some((g) => g.id.startsWith('before:control-plane')),
            (g) => (g.id.includes('control-plane') ? undefined : 'approve'),
          );
        else await stopped(run, reached);
        await run.handle.terminate('by hand');
        if (nodes === undefined) await guard.result();
        else await eventually(() => fake.world.published.some((p) => JSON.stringify(p.notification).includes('KEPT')));
        expect(fake.world.budgets?.nodes).toBe(nodes);
        await guard.terminate('end of test').catch(() => undefined);
      });
    }
  });

  test('a kept freeze can be handed over to another run', async () => {
    const { fake, activities, reached } = held('verifyControlPlane');
    await withUpgrade(env, activities, async (run) => {
      await stopped(run, reached);
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] });
      await run.finish();
      const guard = env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`);
      await guard.signal(freezeTakenOver, stampedNow(freezeTakenOver, { by: 'another-guard' }));
      expect(await guard.result()).toEqual({ summary: 'another-guard guards the freeze from now on' });
      expect(fake.world.budgets?.nodes).toBe('0');
    });
  });

  test('Hold the AMIs pins the images, then restores the budgets', async () => {
    const { fake, activities, reached } = held('verifyControlPlane');
    await withUpgrade(env, activities, async (run) => {
      await stopped(run, reached);
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] });
      await run.finish();
      await run.decide('kept:freeze-drift@1.32#1', 'hold-amis', { reason: 'the app team needs a week' });
      await env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`).result();
      expect(fake.world.calls.map((c) => c.name)).toEqual(expect.arrayContaining(['holdAmis', 'restoreBudgets']));
      expect(fake.world.budgets).toBeUndefined();
    });
  });
});
