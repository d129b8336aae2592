/** A managed node group whose update takes longer than it may: EKS goes on whatever Belay does, so the step does too, and people are asked. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { UpdateOutcome } from '../../../../activities/contract/eks.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, choosing, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const HOURS_MS = 4 * 3_600_000;
const GATE = 'blocked:node-groups@1.32/general#1';
const HELD = 'pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which allows no disruption now';
const SLOW: UpdateOutcome = { status: 'TimedOut', errors: [], roll: { newCount: 3, oldCount: 9, held: [HELD] } };

const groups = [{ name: 'general', from: '1.31', count: 12 }];
const autoscaler = { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2 };
const slowPlan = () =>
  plan(['node-groups', 'validation'], (planned) =>
    planned.phase === 'node-groups'
      ? { ...planned, params: { phase: 'node-groups', to: '1.32', groups, managedBy: 'eks', autoscaler } }
      : planned,
  );

/** The first watch takes too long; the others last as `end` says. */
function slow(end: () => UpdateOutcome | undefined) {
  const fake = fakeActivities({
    plan: slowPlan(),
    policy: quickPolicy({ timing: { ...quickPolicy().timing, nodeGroupTimeoutMs: HOURS_MS } }),
  });
  let looks = 0;
  const awaitUpdate: BelayActivities['awaitUpdate'] = async () => {
    looks += 1;
    if (looks === 1) return SLOW;
    for (;;) {
      const ended = end();
      if (ended !== undefined) return ended;
      await sleepBeating(30);
    }
  };
  return { fake, activities: withChange(fake, { awaitUpdate }) };
}

test('it is watched on beside a gate that says how far it is and what holds it, and that closes when EKS is done', async () => {
  let ended: UpdateOutcome | undefined;
  const { fake, activities } = slow(() => ended);
  const report = await withUpgrade(env, activities, async (run) => {
    const { gates } = await run.until(({ gates: open }) => open.some(({ id }) => id === GATE), choosing({ [GATE]: 'none' }));
    expect(gates.find(({ id }) => id === GATE)?.title).toMatch(/^EKS has been updating node group general for .*: keep waiting\?$/);
    expect(count(fake.world, 'resumeAutoscaler')).toBe(0);
    ended = { status: 'Successful', errors: [] };
    return await run.finish(approveAll);
  });
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'verifyNodeGroup')).toBe(1);
  const told = JSON.stringify(fake.world.published);
  expect(told).toMatch(/As of [^:]*:\d\d UTC: 3 of 12 nodes of general at 1\.32, 9 to go/);
  expect(told).toContain(HELD.replace('pod', 'Pod'));
  expect(told).toContain('EKS has updated node group general');
  expect(told).toContain('The Cluster Autoscaler resumes when this step ends, and may remove nodes that EKS has added.');
});

test('an update that fails in the end fails the step with what EKS says of it', async () => {
  let ended: UpdateOutcome | undefined;
  const { fake, activities } = slow(() => ended);
  const report = await withUpgrade(env, activities, async (run) => {
    await run.until(({ gates }) => gates.some(({ id }) => id === GATE), choosing({ [GATE]: 'none' }));
    ended = { status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: 'budget', resourceIds: [] }] };
    return await run.finish(choosing({}));
  });
  expect(report.outcome).toBe('aborted');
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('update u-2 ended Failed: PodEvictionFailure: budget');
  expect(told).toContain('the update of node group general failed');
});

test('people may wait: it is watched anew for as long, and only then asked about again', async () => {
  const { fake, activities } = slow(() => (count(fake.world, 'awaitUpdate') >= 3 ? { status: 'Successful', errors: [] } : undefined));
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [GATE]: 'wait' })));
  expect(report.outcome).toBe('completed');
  expect(inputs(fake.world, 'awaitUpdate')).toMatchObject(Array.from({ length: 3 }, () => ({ updateId: 'u-2', timeoutMs: HOURS_MS })));
  expect(JSON.stringify(fake.world.published)).toContain('asks again if the update is still running in 4 h.');
});

test('people may continue without it: validation hears who decided so, and nothing claims that the group is there', async () => {
  const { fake, activities } = slow(() => undefined);
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [GATE]: 'leave' })));
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'verifyNodeGroup')).toBe(0);
  expect(count(fake.world, 'resumeAutoscaler')).toBe(1);
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('EKS continues update u-2 of node group general; this run no longer watches it. The next run adopts it.');
  expect(told).toContain('0 node groups at 1.32; EKS continues to update general, as decided');
  expect(inputs(fake.world, 'validateCluster')).toMatchObject([
    { skipped: [{ what: 'node group general', by: 'Sam', reason: 'because of the test', nodeGroups: ['general'] }] },
  ]);
});

test('an abort while people are asked does not wait for EKS, and says that EKS goes on', async () => {
  const { fake, activities } = slow(() => undefined);
  const report = await withUpgrade(env, activities, async (run) => {
    await run.until(({ gates }) => gates.some(({ id }) => id === GATE), choosing({ [GATE]: 'none' }));
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'it takes all night' }] });
    return await run.finish(approveAll);
  });
  expect(report.outcome).toBe('aborted');
  await eventually(() => count(fake.world, 'resumeAutoscaler') === 1);
  expect(JSON.stringify(fake.world.published)).toContain(
    'EKS continues update u-2 of node group general; this run no longer watches it. The next run adopts it.',
  );
});
