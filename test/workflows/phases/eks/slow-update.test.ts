/** A control plane or an add-on whose update takes longer than it may: EKS goes on whatever Belay does, so the step does too, and people are asked. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { UpdateOutcome } from '../../../../activities/contract/eks.ts';
import { stepWorkflowId } from '../../../../workflows/contract/ids.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeActivities, inputs, quickPolicy, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, choosing, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const PLANE_GATE = 'blocked:control-plane@1.32/update#1';
const ADD_ON_GATE = 'blocked:add-ons-target@1.32/coredns#1';
const DONE: UpdateOutcome = { status: 'Successful', errors: [] };

const changes = ['coredns', 'vpc-cni'].map((name) => ({ name, from: 'v1.11.3-eksbuild.1', to: 'v1.11.4-eksbuild.2', managed: true }));
const addOns = step('add-ons-target', { params: { phase: 'add-ons-target', to: '1.32', changes, managedBy: 'eks' } });

/** The first watch takes too long; the others last as `end` says. */
function slow(phase: 'control-plane' | 'add-ons-target', end: () => UpdateOutcome | undefined, issues: string[] = []) {
  const timing = { ...quickPolicy().timing, controlPlaneTimeoutMs: 90 * 60_000, addOnTimeoutMs: 30 * 60_000 };
  const fake = fakeActivities({
    plan: plan([phase, 'validation'], (planned) => (planned.phase === 'add-ons-target' ? addOns : planned)),
    policy: quickPolicy({ timing }),
  });
  let looks = 0;
  const awaitUpdate: BelayActivities['awaitUpdate'] = async ({ resource }) => {
    if (resource.kind === 'add-on' && resource.name === 'vpc-cni') return DONE;
    looks += 1;
    if (looks === 1) return { status: 'TimedOut', errors: [], issues };
    for (;;) {
      const ended = end();
      if (ended !== undefined) return ended;
      await sleepBeating(30);
    }
  };
  return { world: fake.world, activities: withChange(fake, { awaitUpdate }), told: () => JSON.stringify(fake.world.published) };
}

test('a control plane is watched on beside a gate that closes when EKS is done, and nothing fails', async () => {
  let ended: UpdateOutcome | undefined;
  const { activities, told } = slow('control-plane', () => ended);
  const report = await withUpgrade(env, activities, async (run) => {
    const { gates } = await run.until(({ gates: open }) => open.length > 0 && open.every(({ id }) => id === PLANE_GATE), approvingOnly);
    expect(gates[0]?.title).toMatch(/^EKS has been updating the control plane to 1\.32 for .*: keep waiting\?$/);
    expect(gates[0]?.choices).toEqual(['wait', 'abort']);
    ended = { ...DONE, createdAt: '2026-11-02T09:00:00.000Z' };
    return await run.finish(approveAll);
  });
  expect(report.outcome).toBe('completed');
  expect(told()).toContain('EKS has updated the control plane to 1.32');
  expect(told()).toMatch(/As of [^:]*:\d\d UTC: EKS reports no problem/);
  expect(told()).not.toContain('failed:control-plane');
});

test.each<[string, UpdateOutcome, string]>([
  [
    'fails',
    { status: 'Failed', errors: [{ code: 'IpNotAvailable', message: 'no free address', resourceIds: [] }] },
    'Failed: IpNotAvailable: no free address',
  ],
  ['is cancelled', { status: 'Cancelled', errors: [], reason: 'Cancelled by an operator' }, 'Cancelled: Cancelled by an operator'],
])('one that %s in the end fails the step with what EKS says of it', async (_how, end, says) => {
  let ended: UpdateOutcome | undefined;
  const { activities, told } = slow('control-plane', () => ended);
  const report = await withUpgrade(env, activities, async (run) => {
    await run.until(({ gates }) => gates.some(({ id }) => id === PLANE_GATE), approvingOnly);
    ended = end;
    return await run.finish(choosing({}));
  });
  expect(report.outcome).toBe('aborted');
  expect(told()).toContain(`EKS update u-1 to 1.32 ended ${says}`);
});

test('people may end the run there: it does not wait for EKS, and says that EKS goes on', async () => {
  const { activities, told } = slow('control-plane', () => undefined);
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [PLANE_GATE]: 'abort' })));
  expect(report).toMatchObject({ outcome: 'aborted', status: { headline: 'Aborted by Sam: because of the test' } });
  expect(told()).toContain('EKS continues update u-1 of the control plane to 1.32; this run no longer watches it. The next run adopts it.');
});

test('an abort before the time is over waits for EKS once, and then asks nobody', async () => {
  const { activities, told } = slow('control-plane', () => undefined);
  let isLate = false;
  const stubborn = {
    ...activities,
    awaitUpdate: async (input: Parameters<BelayActivities['awaitUpdate']>[0]) => {
      for (; !isLate; await sleepBeating(30));
      return await activities.awaitUpdate(input);
    },
  };
  const report = await withUpgrade(env, stubborn, async (run) => {
    await run.until(({ steps }) => steps.some(({ note = '' }) => note.includes('cannot be stopped')), approveAll);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'it takes all night' }] });
    const history = () => env.client.workflow.getHandle(stepWorkflowId(run.workflowId, 'control-plane@1.32')).fetchHistory();
    await eventually(async () => ((await history()).events ?? []).some((each) => each.workflowExecutionCancelRequestedEventAttributes));
    isLate = true;
    return await run.finish(() => undefined);
  });
  expect(report.outcome).toBe('aborted');
  expect(told()).toContain('EKS continues update u-1 of the control plane to 1.32; this run no longer watches it.');
  expect(told()).not.toContain('keep waiting?');
});

test('an add-on says what EKS finds wrong; people may wait, and are asked again after as long', async () => {
  const issue = 'InsufficientNumberOfReplicas: the add-on does not have the desired number of replicas';
  const { activities, world, told } = slow('add-ons-target', () => (looked() >= 3 ? DONE : undefined), [issue]);
  const looked = (): number => inputs(world, 'awaitUpdate').filter((input) => JSON.stringify(input).includes('coredns')).length;
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [ADD_ON_GATE]: 'wait' })));
  expect(report.outcome).toBe('completed');
  expect(told()).toContain(`EKS reports ${issue}`);
  expect(told()).toContain('asks again if the update is still running in 30 min.');
});

test('people may continue without an add-on: the next follows, validation hears who decided so, and nothing claims that it is there', async () => {
  const { activities, world, told } = slow('add-ons-target', () => undefined);
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [ADD_ON_GATE]: 'leave' })));
  expect(report.outcome).toBe('completed');
  expect(inputs(world, 'awaitAddOnHealthy')).toMatchObject([{ addOn: 'vpc-cni' }]);
  expect(told()).toContain('vpc-cni v1.11.4-eksbuild.2, EKS continues to update coredns, as decided');
  expect(inputs(world, 'validateCluster')).toMatchObject([
    { skipped: [{ what: 'add-on coredns', by: 'Sam', reason: 'because of the test', addOns: ['coredns'] }] },
  ]);
});

/** Leaves the gate of the slow update alone. */
function approvingOnly({ choices }: { choices: string[] }): string | undefined {
  return choices.includes('approve') ? 'approve' : undefined;
}
