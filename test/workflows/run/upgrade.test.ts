/** The parent's story on its main path and where people stop it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Finding } from '../../../domain/core/findings.ts';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

describe('an upgrade', () => {
  test('runs every step in the order of the plan and leaves the budgets as they were', async () => {
    const fake = fakeActivities();
    const report = await withUpgrade(env, fake.activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(report.status.steps.map((s) => [s.id, s.state])).toEqual([
      ['pre-checks@1.32', 'completed'],
      ['freeze-drift@1.32', 'completed'],
      ['control-plane@1.32', 'completed'],
      ['bake@1.32', 'completed'],
      ['node-groups@1.32', 'completed'],
      ['karpenter-drift@1.32', 'completed'],
      ['add-ons-target@1.32', 'completed'],
      ['validation@1.32', 'completed'],
    ]);
    expect(fake.world.budgets).toBeUndefined();
    expect(report.leftBehind).toEqual([]);
    expect(count(fake.world, 'startControlPlaneUpdate')).toBe(1);
    expect(fake.world.records).toHaveLength(1);
    const paces = inputs(fake.world, 'setDriftPace').map((input) => (input as { nodes: string }).nodes);
    expect(paces).toEqual(['1', '10%']);
  });

  const PLACES = [
    { gate: 'before:pre-checks@1.32#1', moved: false },
    { gate: 'before:control-plane@1.32#1', moved: false },
    { gate: 'before:node-groups@1.32#1', moved: true },
    { gate: 'before:karpenter-drift@1.32#1', moved: true },
  ];
  test.each(PLACES)('rejected at $gate stops before the step and treats the freeze as promised', async ({ gate, moved }) => {
    const fake = fakeActivities();
    await withUpgrade(env, fake.activities, async (run) => {
      const report = await run.finish((open) => (open.id === gate ? 'reject' : approveAll(open, 0)));
      expect(report.outcome).toBe('stopped');
      expect(report.status.headline).toContain('was rejected by Sam');
      expect(count(fake.world, 'startControlPlaneUpdate')).toBe(moved ? 1 : 0);
      // Nodes lag behind a moved control plane: the freeze is kept and reported. Otherwise nothing is left.
      expect(fake.world.budgets?.nodes).toBe(moved ? '0' : undefined);
      expect(report.leftBehind.map((item) => [item.what, item.kept])).toEqual(moved ? [['Karpenter drift freeze', true]] : []);
      if (moved) {
        await run.decide('kept:freeze-drift@1.32#1', 'lift-and-roll');
        await env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`).result();
        expect(fake.world.budgets).toBeUndefined();
      }
    });
  });

  test('K16 K18: what the pre-checks advise stands at the gates that follow', async () => {
    const advice = (code: string, message: string): Finding => ({
      code,
      title: code,
      severity: 'recommended',
      status: 'fail',
      message,
      resources: [],
      resourceCount: 0,
    });
    const waived = { reason: 'moved by hand', by: 'Ada', until: '2027-06-30' };
    const findings = [
      advice('K8S012', 'One replica only: ci/atlantis.'),
      advice('K8S014', 'A cluster autoscaler is at work.'),
      { ...advice('AWS001', 'Only 1 zone with 5 free addresses.'), severity: 'required' as const, waived },
    ];
    const fake = fakeActivities();
    const activities = withChange(fake, { runPreChecks: async () => ({ findings, passedCount: 12 }) });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const gate = report.decisions.find(({ gate }) => gate.id === 'before:control-plane@1.32#1')?.gate;
    expect(gate?.evidence.find(({ title }) => title === 'Pre-checks')?.lines).toEqual([
      '12 checks passed, 2 recommendations, 1 waived',
      'WAIVED Only 1 zone with 5 free addresses. [AWS001] Waived by Ada until 2027-06-30: moved by hand',
      'One replica only: ci/atlantis. [K8S012]',
      'A cluster autoscaler is at work. [K8S014]',
    ]);
    expect(report.status.steps[0]?.note).toBe('12 checks passed, 2 recommendations, 1 waived');
    const later = report.status.steps.slice(1).map(({ id }) => id);
    expect(inputs(fake.world, 'runPreChecks')).toMatchObject([{ from: '1.31', to: '1.32', later }]);
  });

  test('expires at a gate nobody answers: that stops, it never approves', async () => {
    const fake = fakeActivities({ policy: quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: 700 } }) });
    const report = await withUpgrade(env, fake.activities, (run) =>
      run.finish((open) => (open.id.startsWith('before:control-plane') ? undefined : approveAll(open, 0))),
    );
    expect(report.outcome).toBe('stopped');
    expect(report.status.headline).toBe('Nobody decided at before:control-plane@1.32#1 in time, so Step control-plane did not start');
    expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
    expect(fake.world.budgets).toBeUndefined();
  });

  test('a refused plan starts nothing and names the rule and the remedy', async () => {
    const fake = fakeActivities();
    const report = await withUpgrade(
      env,
      {
        ...fake.activities,
        makePlan: async () => ({
          kind: 'refused',
          violations: [{ rule: 'no-al2-from-1.33', message: 'Node group old uses AL2.', remedy: 'Create an AL2023 group.' }],
        }),
      },
      (run) => run.finish(),
    );
    expect(report.outcome).toBe('refused');
    expect(report.status.headline).toBe('no-al2-from-1.33: Node group old uses AL2. Remedy: Create an AL2023 group.');
    expect(count(fake.world, 'freezeDrift')).toBe(0);
  });

  test('S1: goes on to its end with Slack down all the time', async () => {
    const fake = fakeActivities();
    const report = await withUpgrade(
      env,
      {
        ...fake.activities,
        publish: async () => {
          throw new Error('Slack is down');
        },
      },
      async (run) => {
        await run.until((status) => status.steps.every((s) => s.state === 'completed') && status.steps.length > 0, approveAll);
        return run.status();
      },
    );
    expect(report.steps.at(-1)?.state).toBe('completed');
  });
});
