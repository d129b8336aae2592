/** Node classes are taken back: frozen, edited and rolled behind two gates, told by images; the freeze goes with the roll. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { count, fakeActivities, inputs } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { choosing, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = { next: 'Goes back.', why: 'It can.' };
const MOVE = {
  nodeClass: 'default',
  nodePools: ['default'],
  before: 'al2023@v20251016',
  terms: [{ alias: 'al2023@v20250403' }],
  amiFamily: null,
  why: 'that is what the run found',
};

function undoPlan(): UpgradePlan {
  const steps = plan(['freeze-drift', 'karpenter-drift', 'validation'], ({ phase, params }) => {
    if (params.phase === 'freeze-drift') return step(phase, { gate: { ...GATE, reason: true } });
    if (params.phase !== 'karpenter-drift') return step(phase, { gate: undefined });
    const roll = {
      moves: [MOVE],
      follows: [{ nodeClass: 'default', nodePools: ['default'] }],
      byImage: ['default'],
      waves: { by: 'zone' as const },
    };
    return step(phase, { gate: GATE, params: { ...params, ...roll } });
  });
  return { ...steps, kind: 'undo', undoes: { step: 'node-classes', runId: 'before', startedAt: '2026-09-01T08:00:00Z' }, from: '1.32' };
}

const TOUCHES = /^(freezeDrift|moveAmis|awaitAmis|holdWaves|watchDrift|forgetAmiMoves|restoreBudgets)$/;

test('frozen before the classes are edited, rolled by image, let go at the end', async () => {
  const fake = fakeActivities({ plan: undoPlan() });
  await withUpgrade(
    env,
    fake.activities,
    async (run) => {
      const report = await run.finish();
      expect(report).toMatchObject({
        outcome: 'completed',
        leftBehind: [],
        status: { headline: 'node-classes of prod: as before the last run', freeze: { state: 'lifted' } },
      });
      const { world } = fake;
      const order = world.calls.map(({ name }) => name).filter((name) => TOUCHES.test(name));
      expect([...new Set(order)]).toEqual([
        'freezeDrift',
        'moveAmis',
        'awaitAmis',
        'holdWaves',
        'watchDrift',
        'forgetAmiMoves',
        'restoreBudgets',
      ]);
      expect(inputs(world, 'moveAmis')).toMatchObject([{ moves: [MOVE] }]);
      expect(inputs(world, 'holdWaves')).toMatchObject([{ byImage: ['default'] }]);
      for (const watched of inputs(world, 'watchDrift')) expect(watched).toMatchObject({ byImage: ['default'] });
    },
    { back: true, undo: 'node-classes' },
  );
});

test('rejected before the roll: no class has been edited, and the freeze is taken off', async () => {
  const fake = fakeActivities({ plan: undoPlan() });
  await withUpgrade(
    env,
    fake.activities,
    async (run) => {
      const report = await run.finish(choosing({ 'before:karpenter-drift@1.32#1': 'reject' }));
      expect(report).toMatchObject({ outcome: 'stopped', leftBehind: [] });
      expect(count(fake.world, 'moveAmis')).toBe(0);
      expect(count(fake.world, 'restoreBudgets')).toBe(1);
    },
    { back: true, undo: 'node-classes' },
  );
});
