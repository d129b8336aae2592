/** One step of the last run is taken back: an ordinary run, which sends what a way back sends and nothing else. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { PhaseId } from '../../../domain/core/phases.ts';
import type { PlannedStep, UpgradePlan } from '../../../domain/plan/model/types.ts';
import { count, fakeActivities, inputs } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = { next: 'Goes back.', why: 'It can.', reason: true as const };

function undoPlan(name: string, phases: PhaseId[], change: (phase: PhaseId) => Partial<PlannedStep>): UpgradePlan {
  const steps = plan(phases, ({ phase }) => step(phase, { gate: undefined, ...change(phase) }));
  return { ...steps, kind: 'undo', undoes: { step: name, runId: 'before', startedAt: '2026-09-01T08:00:00Z' }, from: '1.32' };
}

test('add-ons: the plan is asked for by the step, the gate wants a reason, and the end says what is as before', async () => {
  const undo = undoPlan('add-ons', ['add-ons-back', 'validation'], (phase) => (phase === 'add-ons-back' ? { gate: GATE } : {}));
  const fake = fakeActivities({ plan: undo });
  await withUpgrade(
    env,
    fake.activities,
    async (run) => {
      await run.until(({ gates }) => gates.length > 0);
      expect(count(fake.world, 'startAddOnUpdate')).toBe(0);
      await expect(run.decide('before:add-ons-back@1.32#1', 'approve', { reason: '' })).rejects.toThrow();
      expect((await run.status()).undoes).toBe('add-ons');
      const report = await run.finish();
      expect(report).toMatchObject({ outcome: 'completed', status: { headline: 'add-ons of prod: as before the last run' } });
      const { world } = fake;
      expect(inputs(world, 'planRollback')).toMatchObject([{ undo: 'add-ons' }]);
      expect(count(world, 'makePlan')).toBe(0);
      expect(inputs(world, 'startAddOnUpdate')).toMatchObject([{ addOn: 'kube-proxy', to: 'v1.32.0-eksbuild.2', back: true }]);
      expect(count(world, 'startControlPlaneUpdate')).toBe(0);
    },
    { back: true, undo: 'add-ons' },
  );
});

const karpenterUndo = (): UpgradePlan =>
  undoPlan('karpenter-controller', ['freeze-drift', 'karpenter-controller', 'validation'], (phase) => {
    if (phase === 'freeze-drift') return { gate: GATE };
    if (phase !== 'karpenter-controller') return {};
    const place = { namespace: 'kube-system', deployment: 'karpenter', managedBy: 'helm' as const, delivery: { kind: 'helm' as const } };
    return { params: { phase, from: '1.2.3', to: '1.1.10', minimum: '1.1.10', ...place, back: true } };
  });

test('Karpenter: frozen before, the controller alone, waited for until it is no newer, and the freeze lifted at the end', async () => {
  const fake = fakeActivities({ plan: karpenterUndo() });
  await withUpgrade(
    env,
    fake.activities,
    async (run) => {
      const report = await run.finish();
      expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], status: { freeze: { state: 'lifted' } } });
      const { world } = fake;
      const order = world.calls.map(({ name }) => name).filter((name) => /^(freezeDrift|upgradeKarpenter|restoreBudgets)/.test(name));
      expect(order).toEqual(['freezeDrift', 'upgradeKarpenterWithHelm', 'restoreBudgets']);
      expect(inputs(world, 'upgradeKarpenterWithHelm')).toMatchObject([{ to: '1.1.10', only: 'karpenter' }]);
      expect(inputs(world, 'awaitKarpenterVersion')).toMatchObject([{ wanted: '1.1.10', back: true }]);
    },
    { back: true, undo: 'karpenter-controller' },
  );
});

test('rejected: nothing has been touched', async () => {
  const fake = fakeActivities({ plan: karpenterUndo() });
  await withUpgrade(
    env,
    fake.activities,
    async (run) => {
      const report = await run.finish(choosing({ 'before:freeze-drift@1.32#1': 'reject' }));
      expect(report.outcome).toBe('stopped');
      expect(count(fake.world, 'freezeDrift')).toBe(0);
      expect(count(fake.world, 'upgradeKarpenterWithHelm')).toBe(0);
    },
    { back: true, undo: 'karpenter-controller' },
  );
});

test('refused when the run reads the cluster once more: nothing is started', async () => {
  const fake = fakeActivities();
  const violations = [{ rule: 'RBK104', message: 'somebody has changed it since.', remedy: 'Ask them.' }];
  const activities = { ...fake.activities, planRollback: async () => ({ kind: 'refused' as const, violations }) };
  await withUpgrade(env, activities, async (run) => expect((await run.finish(approveAll)).outcome).toBe('refused'), {
    back: true,
    undo: 'add-ons',
  });
  expect(fake.world.calls.filter(({ name }) => name.startsWith('start'))).toEqual([]);
});
