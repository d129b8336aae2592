/** What happens when a phase fails, and which token a Retry carries. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { count, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, type Decider, withUpgrade } from '../../support/upgrade.ts';

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

/** Two groups, rolled by Belay or by Terraform. */
const nodeGroupsOf = (managedBy: 'eks' | 'terraform') =>
  plan(['node-groups'], () =>
    step('node-groups', {
      params: {
        phase: 'node-groups',
        to: '1.32',
        managedBy,
        groups: [
          { name: 'system', from: '1.31', count: 2 },
          { name: 'gpu', from: '1.31', count: 1 },
        ],
      },
    }),
  );

describe('what people may choose follows the failure table', () => {
  test('pods that are not evicted: force has a gate of its own, and forces only the group that failed', async () => {
    const fake = fakeActivities({ plan: nodeGroupsOf('eks') });
    let round = 0;
    const activities = withChange(fake, {
      startNodeGroupUpdate: async ({ nodeGroup }) => ({ updateId: `${nodeGroup}-${round}`, adopted: false, alreadyThere: false }),
      awaitUpdate: async ({ updateId }) => {
        if (updateId !== 'gpu-0') return { status: 'Successful', errors: [] };
        return { status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: 'EKS says: max retries', resourceIds: ['ip-1'] }] };
      },
    });
    const report = await withUpgrade(env, activities, async (run) => {
      const failed = await run.until((s) => s.gates.some((g) => g.id === 'failed:node-groups@1.32#1'), approveAllBut('failed'));
      expect(failed.gates[0]?.choices).toEqual(['retry', 'ask-force', 'skip', 'abort']);
      await run.decide('failed:node-groups@1.32#1', 'ask-force');
      const asked = await run.until((s) => s.gates.some((g) => g.id === 'force:node-groups@1.32#1'));
      expect(asked.gates[0]?.choices).toEqual(['force', 'retry', 'abort']);
      expect(inputs(fake.world, 'startNodeGroupUpdate')).toHaveLength(2);
      await expect(run.decide('force:node-groups@1.32#1', 'force', { reason: ' ' })).rejects.toMatchObject({
        cause: { message: '"Force" needs a reason.' },
      });
      round = 1;
      await run.decide('force:node-groups@1.32#1', 'force', { reason: 'the budget is wrong' });
      return run.finish();
    });
    expect(report.outcome).toBe('completed');
    const sent = inputs(fake.world, 'startNodeGroupUpdate') as { nodeGroup: string; force?: boolean; token: string }[];
    const forced = (name: string) => sent.filter(({ nodeGroup }) => nodeGroup === name).map(({ force }) => force);
    expect([forced('system'), forced('gpu')]).toEqual([
      [undefined, undefined],
      [undefined, true],
    ]);
    expect(new Set(sent.map(({ token }) => token)).size).toBe(4);
    const gate = JSON.stringify(fake.world.published.find((p) => p.key === 'gate/force:node-groups@1.32#1')?.notification);
    expect(gate).toContain('UpdateNodegroupVersion with force for gpu: pods that cannot be evicted are killed');
  });

  test('the force gate lets go of force: the retry is an ordinary one', async () => {
    const fake = fakeActivities({ plan: nodeGroupsOf('eks') });
    let failing = true;
    const activities = withChange(fake, {
      awaitUpdate: async ({ resource }) => {
        if (!failing || resource.kind !== 'node-group' || resource.name !== 'gpu') return { status: 'Successful', errors: [] };
        return { status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: '', resourceIds: [] }] };
      },
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate, seen) => {
        if (gate.id.startsWith('failed')) return 'ask-force';
        if (gate.id.startsWith('force')) failing = false;
        return approveAll(gate, seen);
      }),
    );
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'startNodeGroupUpdate').filter((input) => 'force' in (input as object))).toEqual([]);
  });

  test('where Terraform rolls the groups, Belay offers no force: it would not be the one to send it', async () => {
    const fake = fakeActivities({ plan: nodeGroupsOf('terraform') });
    const activities = withChange(fake, {
      awaitUpdate: async () => ({ status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: '', resourceIds: [] }] }),
    });
    await withUpgrade(env, activities, async (run) => {
      const { gates } = await run.until((s) => s.gates.some((g) => g.id.startsWith('failed')), approveAllBut('failed'));
      expect(gates[0]?.choices).toEqual(['retry', 'skip', 'abort']);
    });
  });

  test.each([
    ['retry', 'PRESERVE'],
    ['overwrite', 'OVERWRITE'],
  ])('a conflict of an add-on, decided by %s, is updated again with %s', async (choice, resolveConflicts) => {
    const fake = fakeActivities({ plan: plan(['add-ons-target']) });
    let failing = true;
    const activities = withChange(fake, {
      awaitUpdate: async () => {
        if (!failing) return { status: 'Successful', errors: [] };
        failing = false;
        return { status: 'Failed', errors: [{ code: 'ConfigurationConflict', message: 'replicas', resourceIds: [] }] };
      },
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ 'failed:add-ons-target@1.32#1': choice })));
    expect(report.outcome).toBe('completed');
    const sent = inputs(fake.world, 'startAddOnUpdate') as { addOn: string; resolveConflicts?: string }[];
    const again = sent.filter(({ addOn }) => addOn === sent[0]?.addOn);
    expect(again.map((input) => input.resolveConflicts)).toEqual(['PRESERVE', resolveConflicts]);
    // The others of the step are preserved all the same.
    expect(sent.filter(({ addOn }) => addOn !== sent[0]?.addOn).every((input) => input.resolveConflicts === 'PRESERVE')).toBe(true);
    const gate = JSON.stringify(fake.world.published.find((p) => p.key === 'gate/failed:add-ons-target@1.32#1')?.notification);
    expect(gate).toMatch(/"label":"Preserve".*"label":"Overwrite"/);
  });

  test('a permission that is missing: the gate says what to do, and the button what it means to press it', async () => {
    const fake = fakeActivities({ plan: plan(['control-plane']) });
    let denied = true;
    const activities = withChange(fake, {
      startControlPlaneUpdate: async () => {
        if (denied) throw ApplicationFailure.nonRetryable('starting the update: eks:UpdateClusterVersion is denied', 'AccessDenied');
        return { updateId: 'u-1', adopted: false, alreadyThere: false };
      },
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate, seen) => {
        if (gate.id.startsWith('failed')) denied = false;
        return approveAll(gate, seen);
      }),
    );
    expect(report.outcome).toBe('completed');
    const gate = JSON.stringify(fake.world.published.find((p) => p.key === 'gate/failed:control-plane@1.32#1')?.notification);
    expect(gate).toContain('"label":"Fixed: continue"');
    expect(gate).toContain('AccessDenied on prod: Belay may not do what the step needs. Grant what is named');
  });

  test("EKS's readiness issues: the control plane is forced only through its own gate", async () => {
    const fake = fakeActivities({ plan: plan(['control-plane']) });
    const activities = withChange(fake, {
      startControlPlaneUpdate: async ({ force }) => {
        if (force !== true) throw ApplicationFailure.nonRetryable('EKS detected upgrade readiness issues', 'ReadinessIssues');
        return { updateId: 'u-1', adopted: false, alreadyThere: false };
      },
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish(choosing({ 'failed:control-plane@1.32#1': 'ask-force', 'force:control-plane@1.32#1': 'force' })),
    );
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'startControlPlaneUpdate').map((input) => (input as { force?: boolean }).force)).toEqual([undefined, true]);
  });

  test('an issue of a node group, found when it is verified, says what to do', async () => {
    const fake = fakeActivities({ plan: nodeGroupsOf('eks') });
    let sick = true;
    const activities = withChange(fake, {
      verifyNodeGroup: async ({ nodeGroup }) => {
        if (!sick || nodeGroup !== 'gpu') return { findings: [] };
        sick = false;
        return {
          findings: [
            {
              code: 'EKS009',
              title: 'Node groups are well',
              severity: 'required',
              status: 'fail',
              message: 'gpu is DEGRADED',
              resources: [],
              resourceCount: 0,
            },
          ],
          issues: [{ code: 'Ec2SubnetInvalidConfiguration', message: '', resourceIds: [] }],
        };
      },
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const gate = JSON.stringify(fake.world.published.find((p) => p.key === 'gate/failed:node-groups@1.32#1')?.notification);
    expect(gate).toContain('Ec2SubnetInvalidConfiguration on gpu: A subnet of the group does not give instances');
    expect(gate).toContain('"label":"Fixed: continue"');
  });
});

function approveAllBut(prefix: string): Decider {
  return (open) => (open.id.startsWith(prefix) ? undefined : approveAll(open, 0));
}
