/** People change how fast Karpenter replaces its nodes, while it does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { changePace, paceRequested } from '../../../../workflows/contract/messages.ts';
import { fakeActivities, type FakeWorld, inputs, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan, type step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { ALEX, approveAll, type RunningUpgrade, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const EVE = { kind: 'slack', id: 'U0EVE', name: 'Eve' } as const;

/** Rolls until `world.through` is set; the last pace of the plan is the second. */
function rolling(): { fake: ReturnType<typeof fakeActivities>; activities: ReturnType<typeof withChange>; through: () => void } {
  const offered = (s: ReturnType<typeof step>): ReturnType<typeof step> =>
    s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, offeredPaces: ['freeze', '1', '10%', '20%', 'original'] } } : s;
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift'], offered) });
  let done = false;
  const activities = withChange(fake, {
    watchDrift: async ({ watchMs }) => {
      if (!done && watchMs !== undefined) return { kind: 'pace-elapsed', replacedCount: 1, remainingCount: 2 };
      while (!done) await sleepBeating(20);
      return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
    },
  });
  return { fake, activities, through: () => (done = true) };
}

const atPace = (run: RunningUpgrade, nodes: string, world: FakeWorld): Promise<unknown> =>
  run.until(() => world.budgets?.nodes === nodes, approveAll);

const notes = (world: FakeWorld): string[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));

const panels = (world: FakeWorld): unknown[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'pace' ? [notification.pace] : []));

const change = (run: RunningUpgrade, pace: string, actor: typeof SAM = SAM, reason?: string): Promise<unknown> =>
  run.handle.executeUpdate(changePace, { args: [{ pace, actor, reason }] });

describe('the pace of a roll', () => {
  test('an approver freezes, paces and hands back; the thread says who; the plan rests meanwhile', async () => {
    const { fake, activities, through } = rolling();
    const { world } = fake;
    const report = await withUpgrade(env, activities, async (run) => {
      await atPace(run, '10%', world);
      expect(await change(run, '20%')).toEqual({
        accepted: true,
        message:
          'From now on Karpenter replaces at most 20% of the nodes of each pool at a time; the thread confirms once the budgets are set.',
      });
      await atPace(run, '20%', world);
      await change(run, 'freeze', SAM, 'shop has a sale');
      await atPace(run, '0', world);
      await run.until((s) => s.freeze.state === 'frozen' && s.freeze.note === 'by Sam');
      await change(run, 'original');
      await atPace(run, '100%', world);
      expect(await change(run, 'automatic')).toEqual({ accepted: true, message: 'The plan sets the pace again.' });
      await atPace(run, '10%', world);
      await change(run, '1');
      await atPace(run, '1', world);
      through();
      return run.finish();
    });
    expect(report.outcome).toBe('completed');
    expect(world.budgets).toBeUndefined();
    // What it was frozen for is not what nodes take.
    const { held = [] } = report.status.steps.find(({ id }) => id === 'karpenter-drift@1.32') ?? {};
    expect(held).toEqual([{ from: expect.any(String), to: expect.any(String) }]);
    expect(Date.parse(held[0]?.to ?? '')).toBeGreaterThan(Date.parse(held[0]?.from ?? ''));
    expect(notes(world)).toEqual(
      expect.arrayContaining([
        'Sam sets the pace: Karpenter replaces at most 20% of the nodes of each pool at a time.',
        'Sam sets the pace (shop has a sale): Karpenter replaces no node.',
        'Sam sets the pace: Karpenter replaces as many nodes at a time as the original budgets allow.',
        'Sam returns the pace to the plan: Karpenter replaces at most 10% of the nodes of each pool at a time.',
      ]),
    );
    expect(panels(world)).toContainEqual(
      expect.objectContaining({ pace: 'freeze', by: SAM, reason: 'shop has a sale', plan: ['1', '10%'], replacedCount: 1 }),
    );
    expect(panels(world).at(-1)).toMatchObject({ ended: '3 nodes at 1.32; budgets are restored.' });
    // Nothing was watched while people held it frozen.
    const at = inputs(world, 'setDriftPace').map((input) => (input as { nodes: string }).nodes);
    expect(at).toEqual(['1', '10%', '20%', '0', '100%', '10%', '1']);
  });

  test('is changed by approvers alone, and only while nodes roll', async () => {
    const { fake, activities, through } = rolling();
    await withUpgrade(env, activities, async (run) => {
      expect(await change(run, '1')).toEqual({
        accepted: false,
        message: 'Karpenter is not replacing nodes for this upgrade now, so there is no pace to change.',
      });
      await atPace(run, '10%', fake.world);
      expect(await change(run, 'freeze', EVE)).toEqual({ accepted: false, message: 'Eve is not an approver.' });
      expect(await change(run, 'faster', ALEX)).toEqual({
        accepted: false,
        message: '"faster" is not a pace: use freeze, 1, 10%, 20%, another number or percentage, original or automatic.',
      });
      expect(fake.world.budgets?.nodes).toBe('10%');
      // The durable way, for when no worker answers.
      await run.handle.signal(paceRequested, { pace: 'freeze', actor: SAM });
      await atPace(run, '0', fake.world);
      through();
      await change(run, 'automatic');
      await run.finish();
    });
  });

  test('a pace that cannot be set is said, and the roll continues as it was', async () => {
    const { fake, activities, through } = rolling();
    const refusing = withChange(
      { world: fake.world, activities },
      {
        setDriftPace: async (input) => {
          if (input.nodes === '20%') return { intact: false, reverted: ['default'], pools: ['default'] };
          return fake.activities.setDriftPace(input);
        },
      },
    );
    const report = await withUpgrade(env, refusing, async (run) => {
      await atPace(run, '10%', fake.world);
      await change(run, '20%');
      await run.until(() => notes(fake.world).some((text) => text.includes('could not be set')));
      through();
      await change(run, '1');
      return run.finish();
    });
    expect(report.outcome).toBe('completed');
    expect(notes(fake.world)).toContain(
      'The pace that Sam requested could not be set: Setting the drift budget to 20%: budgets of default do not say so. The previous pace stays; choose one again.',
    );
  });
});
