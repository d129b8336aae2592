/** A run of a cluster without a Prometheus: what scrapes see is watched, what they may not see is said, and nobody is asked about alerts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { HealthTrouble } from '../../../activities/contract/health.ts';
import { healthOf } from '../../../domain/policy/config/health/health.ts';
import type { TriedCheck } from '../../../domain/health/checks.ts';
import { count, fakeActivities, inputs, quickPolicy, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const { policy: HEALTH } = healthOf([], false);
const WHY = 'Belay may not scrape pods of CoreDNS (get on pods/proxy in kube-system; deploy/kubernetes-rbac-scrapes.yaml lets it)';
const TRIED: TriedCheck[] = [
  { name: 'api-server-errors', kind: 'live', baseline: 0 },
  { name: 'dns-errors', kind: 'blind', why: WHY },
];
const FAILING: HealthTrouble = {
  kind: 'fail',
  checks: ['api-server-errors'],
  lines: ['api-server-errors: 0.1, limit > 0.01, before the upgrade 0 (3 of the last 5 readings)'],
};

test('checks on scrapes are watched as any other, those that lack a right stand at the first gate with its name, and no alert is asked for', async () => {
  const made = plan(['pre-checks', 'control-plane', 'node-groups']);
  const fake = fakeActivities({ plan: made, policy: quickPolicy({ health: HEALTH }) });
  const id = 'health:node-groups@1.32#1';
  let told = false;
  const activities = withChange(fake, {
    makePlan: async () => ({ kind: 'plan', plan: made, health: TRIED }),
    watchHealth: async ({ phase }) => {
      if (phase !== 'node-groups' || told) return untilCancelled();
      told = true;
      return FAILING;
    },
  });
  await withUpgrade(env, activities, async (run) => {
    await run.until(
      ({ gates }) => gates.some((gate) => gate.id === id),
      (gate, seen) => (gate.id.startsWith('health') ? undefined : approveAll(gate, seen)),
    );
    await run.decide(id, 'continue', { reason: 'a probe that is known to fail' });
    const report = await run.finish();
    expect(report.outcome).toBe('completed');
    expect(report.decisions[0]?.gate.evidence).toContainEqual({
      title: 'Health checks',
      lines: [`BLIND dns-errors: ${WHY}, so nothing is watched by it.`, '1 check before the upgrade: api-server-errors 0'],
      verdict: 'unknown',
    });
    expect(report.decisions.find(({ gate }) => gate.id === id)?.gate.evidence).toContainEqual({
      title: 'What was seen',
      lines: FAILING.lines,
    });
  });
  const watches = inputs(fake.world, 'watchHealth');
  expect(watches[0]).toMatchObject({
    phase: 'control-plane',
    checks: [{ check: { name: 'api-server-errors', scrape: { target: 'api-server', kind: 'share' } }, baseline: 0 }],
  });
  expect(watches.filter((input) => JSON.stringify(input).includes('dns-errors'))).toEqual([]);
  expect([count(fake.world, 'judgeAlerts'), count(fake.world, 'judgeStart')]).toEqual([0, 0]);
});
