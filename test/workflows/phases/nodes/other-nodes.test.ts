/** Nodes that neither EKS nor Karpenter replaces: what people are told and asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { gateOwner } from '../../../../workflows/contract/ids.ts';
import { extendGate } from '../../../../workflows/contract/messages.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const UNMOVED = [{ workload: 'Pod jobs/naked', why: 'it has no controller: delete it and create it again' }];

test('Fargate: what no rollout moves is asked about, looked at again, and left', async () => {
  const fake = fakeActivities({ plan: plan(['other-nodes']) });
  const activities = withChange(fake, { restartFargate: async () => ({ restarted: 0, interrupted: [], unmoved: UNMOVED }) });
  const gate = (look: number): string => `blocked:other-nodes@1.32/fargate#${look}`;
  const choices: Record<string, string> = { [gate(1)]: 'look-again', [gate(2)]: 'leave' };
  const decider: Decider = (open) => choices[open.id] ?? approveAll(open, 0);
  const report = await withUpgrade(env, activities, (run) => run.finish(decider));
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'readFargate')).toBe(2);
  // One timestamp for both looks.
  expect(new Set(inputs(fake.world, 'restartFargate').map((input) => JSON.stringify(input))).size).toBe(1);
  expect(count(fake.world, 'awaitFargate')).toBe(0);
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('Pod jobs/naked: it has no controller: delete it and create it again');
  expect(told).toContain('pods on Fargate run on kubelets of 1.32, but for Pod jobs/naked');
});

test('Fargate: pods that do not come up fail the step with their names', async () => {
  const fake = fakeActivities({ plan: plan(['other-nodes']) });
  const activities = withChange(fake, { awaitFargate: async () => ({ timedOut: true, wrong: ['jobs/worker-c is not Ready yet'] }) });
  const decider: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : approveAll(open, 0));
  const report = await withUpgrade(env, activities, (run) => run.finish(decider));
  expect(report.outcome).toBe('aborted');
  expect(JSON.stringify(fake.world.published)).toContain('Moving pods of jobs on Fargate to 1.32: jobs/worker-c is not Ready yet');
});

describe('self-managed nodes', () => {
  const other = step('other-nodes', {
    params: { phase: 'other-nodes', to: '1.32', selfManaged: { nodeCount: 2, groups: [{ name: 'batch', size: 2 }] } },
  });
  const selfManagedPlan = () => plan(['other-nodes'], () => other);
  const GATE = 'blocked:other-nodes@1.32/self-managed#1';

  test('asked for with the commands; the gate closes by itself when they are through', async () => {
    const fake = fakeActivities({ plan: selfManagedPlan() });
    const report = await withUpgrade(env, fake.activities, (run) =>
      run.finish((open) => (open.id === GATE ? undefined : approveAll(open, 0))),
    );
    expect(report.outcome).toBe('completed');
    const asked = fake.world.published.find(({ notification }) => notification.kind === 'note' && notification.ask !== undefined);
    expect(asked?.notification).toMatchObject({
      ask: { component: 'self-managed', name: 'batch', version: '1.32', managedBy: 'manual' },
      text: expect.stringContaining('aws autoscaling start-instance-refresh --auto-scaling-group-name batch'),
    });
    expect(JSON.stringify(fake.world.published)).toContain('self-managed nodes are at 1.32');
  });

  test('people may go on without them, and the watching ends', async () => {
    const fake = fakeActivities({ plan: selfManagedPlan() });
    const activities = withChange(fake, { awaitSelfManaged: async () => untilCancelled() });
    const report = await withUpgrade(env, activities, (run) => run.finish((open) => (open.id === GATE ? 'leave' : approveAll(open, 0))));
    expect(report.outcome).toBe('completed');
    expect(JSON.stringify(fake.world.published)).toContain('self-managed nodes stay as they are');
  });

  const asking = (askTimeoutMs: number) => {
    const policy = quickPolicy();
    return { ...policy, timing: { ...policy.timing, askTimeoutMs } };
  };
  /** A watch that ends without them. */
  const seen: BelayActivities['awaitSelfManaged'] = async () => {
    await sleepBeating(200);
    return { timedOut: true, left: ['ip-10-0-1-7'] };
  };

  test('whoever gives the gate more time gives it to the nodes, too', async () => {
    const fake = fakeActivities({ plan: selfManagedPlan(), policy: asking(1_500) });
    let isReplaced = false;
    const activities = withChange(fake, {
      awaitSelfManaged: async (input) => (isReplaced ? { timedOut: false, left: [] } : await seen(input)),
    });
    const notThat: Decider = (open) => (open.id === GATE ? undefined : approveAll(open, 0));
    await withUpgrade(env, activities, async (run) => {
      await run.until(({ gates }) => gates.some(({ id }) => id === GATE), notThat);
      const handle = env.client.workflow.getHandle(gateOwner(run.workflowId, GATE));
      await handle.executeUpdate(extendGate, { args: [{ gateId: GATE, byMs: 60_000, actor: SAM, reason: 'hardware is on its way' }] });
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect((await run.status()).gates.map(({ id }) => id)).toContain(GATE);
      isReplaced = true;
      expect((await run.finish(notThat)).outcome).toBe('completed');
    });
    expect(JSON.stringify(fake.world.published)).toContain('self-managed nodes are at 1.32');
  });

  test('not replaced in time is a failure with their names', async () => {
    const fake = fakeActivities({ plan: selfManagedPlan(), policy: asking(1_500) });
    const activities = withChange(fake, { awaitSelfManaged: seen });
    const decider: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : open.id === GATE ? undefined : approveAll(open, 0));
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.outcome).toBe('aborted');
    expect(JSON.stringify(fake.world.published)).toContain(
      'Waiting for self-managed nodes at 1.32: ip-10-0-1-7 remain, and nobody decided in time',
    );
  });
});

describe('Auto Mode', () => {
  const other = step('other-nodes', { params: { phase: 'other-nodes', to: '1.32', autoMode: { nodeCount: 2, frozenPools: ['batch'] } } });
  const NODE = {
    node: 'ip-10-0-1-7',
    nodePool: 'general-purpose',
    reason: 'PodDisruptionBudget shop/cart allows no disruption',
    sinceMs: 600_000,
  };
  const GATE = `blocked:other-nodes@1.32/${NODE.node}#1`;

  test('a blocked node is asked about, and what was done for it is undone; frozen pools and nodes of Karpenter are not waited for', async () => {
    const fake = fakeActivities({ plan: plan(['other-nodes'], () => other) });
    const activities = withChange(fake, {
      watchDrift: async ({ ignoreNodes }) =>
        ignoreNodes.length === 0
          ? { kind: 'blocked', node: NODE, replacedCount: 1, remainingCount: 1 }
          : { kind: 'done', replacedCount: 1, remainingCount: 0, skippedCount: 1 },
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((open) => (open.id === GATE ? 'skip-node' : approveAll(open, 0))),
    );
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'watchDrift')).toMatchObject([
      { ignorePools: ['batch'], owner: 'auto-mode' },
      { ignoreNodes: [NODE.node], owner: 'auto-mode' },
    ]);
    expect([count(fake.world, 'holdNode'), count(fake.world, 'releaseNode')]).toEqual([1, 1]);
    expect(JSON.stringify(fake.world.published)).toContain('Auto Mode nodes are at 1.32, skipped: ip-10-0-1-7');
  });

  test('node classes that are ill end the step with the reason', async () => {
    const fake = fakeActivities({ plan: plan(['other-nodes'], () => other) });
    const activities = withChange(fake, {
      watchDrift: async () => ({ kind: 'unhealthy', why: 'NodeClass default is not ready', replacedCount: 0, remainingCount: 2 }),
    });
    const decider: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : approveAll(open, 0));
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.outcome).toBe('aborted');
    expect(JSON.stringify(fake.world.published)).toContain(
      'Waiting for Auto Mode to replace its nodes by 1.32: NodeClass default is not ready',
    );
  });
});
