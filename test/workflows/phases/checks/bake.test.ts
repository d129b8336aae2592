/** The bake: it ends by itself when its time is over, and earlier only by people, with a reason. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { gateOwner } from '../../../../workflows/contract/ids.ts';
import { count, fakeActivities } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'bake:bake@1.32#1';
const baking = (bakeMs: number) =>
  fakeActivities({
    plan: plan(['bake', 'validation'], (s) => (s.params.phase === 'bake' ? { ...s, params: { ...s.params, bakeMs, gate: true } } : s)),
  });

describe('a bake with a gate', () => {
  test('ends early by people, who say why; the control plane is verified once more', async () => {
    const { world, activities } = baking(600_000);
    await withUpgrade(env, activities, async (run) => {
      const { gates } = await run.until((status) => status.gates.some(({ id }) => id === GATE));
      expect(gates).toMatchObject([{ id: GATE, byItself: true, choices: ['end-bake'] }]);
      expect(gateOwner(run.workflowId, GATE)).toBe(`${run.workflowId}/bake@1.32`);
      expect(count(world, 'verifyControlPlane')).toBe(1);
      await expect(run.decide(GATE, 'end-bake', { reason: ' ' })).rejects.toMatchObject({
        cause: { message: '"End the bake now" needs a reason.' },
      });
      await run.decide(GATE, 'end-bake', { reason: 'baked for a day in staging' });
      const report = await run.finish();
      expect([report.outcome, report.status.steps[0]?.note]).toEqual([
        'completed',
        'Control plane verified at 1.32, before and after the bake, which was ended early',
      ]);
      expect(report.decisions).toMatchObject([{ kind: 'decided', decision: { choice: 'end-bake', reason: 'baked for a day in staging' } }]);
    });
    expect(count(world, 'verifyControlPlane')).toBe(2);
  });

  test('continues by itself once its time is over, and not before; nobody is mentioned', async () => {
    const { world, activities } = baking(1_500);
    const startedMs = Date.now();
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(1_500);
    expect(report.decisions).toMatchObject([{ kind: 'withdrawn', why: 'the bake is over', gate: { id: GATE } }]);
    const told = world.published.flatMap(({ notification }) => (notification.kind === 'gate' ? [notification] : []));
    expect(told[0]).toMatchObject({
      mention: { users: [], groups: [] },
      state: { gate: { title: expect.stringMatching(/^Baking at 1\.32 until /) } },
    });
  });
});
