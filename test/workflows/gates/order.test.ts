/** The order of environments: staging first, production when that has baked, or people with a reason. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import type { OrderVerdict } from '../../../domain/policy/environments.ts';
import { CLUSTER } from '../../support/facts.ts';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, type Decider, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const after = { environment: 'staging', clusters: [{ ...CLUSTER, name: 'staging' }], bakedDays: 3 };
const YOUNG: OrderVerdict = {
  status: 'fail',
  lines: ['staging is at 1.32, upgraded 2026-01-14 (1 day ago), not baked for 3 days yet'],
};
const GATE = 'order:pre-checks@1.32#1';

function afterStaging(verdicts: OrderVerdict[]) {
  const fake = fakeActivities({ plan: plan(['pre-checks']), policy: quickPolicy({ windows: DEFAULT_WINDOWS, after }) });
  const left = [...verdicts];
  return { ...fake, activities: withChange(fake, { judgeOrder: async () => left.shift() ?? YOUNG }) };
}

describe('production after staging', () => {
  test('goes on unasked where every cluster has baked, and says so at its first gate', async () => {
    const { world, activities } = afterStaging([{ status: 'pass', lines: ['staging is at 1.32, upgraded 2026-01-05 (10 days ago)'] }]);
    await withUpgrade(env, activities, (run) => run.finish());
    expect(inputs(world, 'judgeOrder')).toMatchObject([{ target: '1.32', after: { environment: 'staging', bakedDays: 3 } }]);
    expect(JSON.stringify(world.published)).toContain('staging is at 1.32, upgraded 2026-01-05 (10 days ago)');
  });

  test('the plan in the thread says so before people are asked', async () => {
    const fake = afterStaging([YOUNG]);
    const order = { environment: 'staging', bakedDays: 3, ...YOUNG };
    const planned = withChange(fake, { makePlan: async () => ({ kind: 'plan', plan: plan(['pre-checks']), order }) });
    await withUpgrade(env, planned, async (run) => {
      await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
    });
    expect(fake.world.published.find(({ key }) => key === 'plan')?.notification).toMatchObject({ kind: 'plan', order });
  });

  test('waits before anything is done; looking again reads anew', async () => {
    const { world, activities } = afterStaging([YOUNG, { status: 'pass', lines: [] }]);
    const decider: Decider = (gate, seen) => (gate.id === GATE ? 'look-again' : approveAll(gate, seen));
    await withUpgrade(env, activities, async (run) => {
      await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
      expect(count(world, 'runPreChecks')).toBe(0);
      expect((await run.status()).headline).toBe('Waiting for a decision: staging has not been at 1.32 for 3 days yet');
      expect((await run.finish(decider)).outcome).toBe('completed');
    });
    expect(count(world, 'judgeOrder')).toBe(2);
  });

  test('is waived with a reason, which the first gate shows', async () => {
    const { world, activities } = afterStaging([YOUNG]);
    await withUpgrade(env, activities, async (run) => {
      await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
      await expect(run.decide(GATE, 'go-anyway', { reason: '' })).rejects.toMatchObject({
        cause: { message: '"Go anyway" needs a reason.' },
      });
      await run.decide(GATE, 'go-anyway', { reason: 'support ends tomorrow' });
      expect((await run.finish()).outcome).toBe('completed');
    });
    expect(JSON.stringify(world.published)).toContain('waived: support ends tomorrow');
  });

  test('what cannot be seen asks, and does not pass', async () => {
    const fake = afterStaging([]);
    const blind = withChange(fake, {
      judgeOrder: async () => ({ status: 'unknown', lines: ['staging cannot be read: describing staging: access denied'] }),
    });
    await withUpgrade(env, blind, async (run) => {
      const report = await run.finish(choosing({ [GATE]: 'abort' }));
      expect(report.outcome).toBe('aborted');
      expect(report.decisions[0]?.gate.evidence).toEqual([
        { title: 'staging could not be checked', lines: ['staging cannot be read: describing staging: access denied'] },
      ]);
    });
    expect(count(fake.world, 'runPreChecks')).toBe(0);
  });
});
