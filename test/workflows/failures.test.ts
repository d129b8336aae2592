/** What happens when a phase fails, and which token a Retry carries. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { count, fakeActivities, inputs, withChange } from '../support/fake-activities.ts';
import { plan, step } from '../support/plan.ts';
import { startTemporal } from '../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const choose =
  (gate: string, choice: string): Decider =>
  (open) =>
    open.id === gate ? choice : approveAll(open, 0);

describe('a failed phase', () => {
  test('A6: a Failed update and a human Retry make a new update with a new token; attempts of one round share a token', async () => {
    const fake = fakeActivities({ plan: plan(['control-plane']) });
    let lost = true;
    let first = true;
    const activities = withChange(fake, {
      startControlPlaneUpdate: async () => {
        if (lost) {
          lost = false;
          throw ApplicationFailure.retryable('the answer was lost', 'Unavailable');
        }
        return { updateId: first ? 'u-1' : 'u-2', adopted: false, alreadyThere: false };
      },
      awaitUpdate: async ({ updateId, to }) => {
        first = false;
        if (updateId === 'u-1')
          return { status: 'Failed', errors: [{ code: 'IpNotAvailable', message: 'no free IPs', resourceIds: ['subnet-1'] }] };
        fake.world.controlPlane = to;
        return { status: 'Successful', errors: [] };
      },
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const tokens = inputs(fake.world, 'startControlPlaneUpdate').map((input) => (input as { token: string }).token);
    expect(tokens).toHaveLength(3);
    expect(tokens[0]).toMatch(/^belay-[0-9a-f]{32}$/);
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[0]);
    const gate = fake.world.published.find((p) => p.key === 'gate/failed:control-plane@1.32#1');
    expect(JSON.stringify(gate?.notification)).toContain('IpNotAvailable: no free IPs (subnet-1)');
  });

  test('can be skipped with a reason, and the report says so', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks', 'validation']) });
    const activities = withChange(fake, {
      runPreChecks: async () => ({
        findings: [
          {
            code: 'EKS001',
            title: 'Cluster is ACTIVE',
            severity: 'required',
            status: 'unknown',
            message: 'eks:DescribeCluster is denied',
            resources: [],
            resourceCount: 0,
          },
        ],
        passedCount: 3,
      }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(choose('failed:pre-checks@1.32#1', 'skip')));
    expect(report.outcome).toBe('completed');
    expect(report.status.steps[0]).toMatchObject({ state: 'skipped', note: 'skipped: because of the test' });
    const gate = fake.world.published.find((p) => p.key === 'gate/failed:pre-checks@1.32#1');
    expect(JSON.stringify(gate?.notification)).toContain('UNKNOWN Cluster is ACTIVE: eks:DescribeCluster is denied [EKS001]');
  });

  test('refuses a Skip without a reason, and a skipped control plane', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks', 'control-plane']) });
    const activities = withChange(fake, {
      validateCluster: fake.activities.validateCluster,
      runPreChecks: async () => {
        throw ApplicationFailure.nonRetryable('reading insights: access denied', 'AccessDenied');
      },
      awaitUpdate: async () => ({ status: 'Cancelled', errors: [] }),
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until((s) => s.gates.some((g) => g.id === 'failed:pre-checks@1.32#1'), approveAllBut('failed'));
      await expect(run.decide('failed:pre-checks@1.32#1', 'skip', { reason: ' ' })).rejects.toMatchObject({
        cause: { message: '"Skip" needs a reason.' },
      });
      await run.decide('failed:pre-checks@1.32#1', 'skip', { reason: 'seen by hand' });
      const status = await run.until((s) => s.gates.some((g) => g.id === 'failed:control-plane@1.32#1'), approveAllBut('failed'));
      expect(status.gates[0]?.choices).toEqual(['retry', 'abort']);
    });
  });

  test('aborts at its gate when people say so', async () => {
    const fake = fakeActivities();
    const activities = withChange(fake, {
      awaitUpdate: async () => ({ status: 'Failed', errors: [{ code: 'Unknown', message: 'x', resourceIds: [] }] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(choose('failed:control-plane@1.32#1', 'abort')));
    expect(report.outcome).toBe('aborted');
    expect(fake.world.budgets).toBeUndefined();
  });

  test('Terraform owns the control plane: nothing is called, the foreign update is adopted, the ask names the version', async () => {
    const fake = fakeActivities({
      plan: plan(['control-plane'], () =>
        step('control-plane', { params: { phase: 'control-plane', from: '1.31', to: '1.32', managedBy: 'terraform' } }),
      ),
    });
    const report = await withUpgrade(env, fake.activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
    expect(inputs(fake.world, 'awaitUpdate')).toMatchObject([{ updateId: 'u-tf' }]);
    const ask = fake.world.published.map((p) => p.notification).find((n) => n.kind === 'note' && n.ask !== undefined);
    expect(ask).toMatchObject({ ask: { component: 'control-plane', version: '1.32', managedBy: 'terraform' } });
  });

  test('a child that somebody terminates in Temporal is a failure people decide about', async () => {
    const fake = fakeActivities({ plan: plan(['bake']) });
    let stuck = true;
    const activities = withChange(fake, {
      verifyControlPlane: async () => {
        if (stuck) await new Promise((resolve) => setTimeout(resolve, 1500));
        stuck = false;
        return { findings: [], passedCount: 6 };
      },
    });
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until((s) => s.steps[0]?.state === 'running');
      await new Promise((resolve) => setTimeout(resolve, 300));
      await env.client.workflow.getHandle(`${run.workflowId}/bake@1.32`).terminate('by hand');
      return run.finish();
    });
    expect(report.outcome).toBe('completed');
  });
});

function approveAllBut(prefix: string): Decider {
  return (open) => (open.id.startsWith(prefix) ? undefined : approveAll(open, 0));
}
