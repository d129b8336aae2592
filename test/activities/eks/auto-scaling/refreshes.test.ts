/** Instance refreshes where others are faster, answers are lost, or Auto Scaling ends one by itself. */
import { expect, test } from 'vitest';
import type { InstanceRefresh } from '@aws-sdk/client-auto-scaling';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { QUICK } from '../../support/timing.ts';

const CALLS = [
  'describeAutoScalingGroups',
  'describeInstanceRefreshes',
  'startInstanceRefresh',
  'cancelInstanceRefresh',
  'rollbackInstanceRefresh',
] as const;
type Calls = Partial<Record<(typeof CALLS)[number], (input: Record<string, unknown>) => unknown>>;

/** Auto Scaling that answers so; `sent`: what was asked of it, other than reads. */
function over(calls: Calls) {
  const sent: string[] = [];
  const call =
    (name: (typeof CALLS)[number]) =>
    async (input: Record<string, unknown> = {}): Promise<unknown> => {
      if (!name.startsWith('describe')) sent.push(name);
      return calls[name]?.(input) ?? {};
    };
  const autoScaling = Object.fromEntries(CALLS.map((name) => [name, call(name)]));
  const account = () => ({ autoScaling: async () => autoScaling }) as unknown as AccountClients;
  return { sent, activities: createRefreshActivities({ ...depsOf(new FakeKubernetes()), account }) };
}

const refusing = (name: string) => (): never => {
  throw Object.assign(new Error('not now'), { name, $metadata: { httpStatusCode: 400 } });
};

/** What is listed at each look; the last one stays. */
const looks = (...each: InstanceRefresh[][]): Calls => ({
  describeInstanceRefreshes: () => ({ InstanceRefreshes: each.length > 1 ? each.shift() : each[0] }),
});

const at = { cluster: CLUSTER, group: 'batch' };
const start = { ...at, size: 3, template: { id: 'lt-1', version: '2' }, minHealthyPercent: 100, checkpointDelayMs: 0 };
const running = (Version: string | undefined, Status: InstanceRefresh['Status'] = 'InProgress'): InstanceRefresh => ({
  InstanceRefreshId: 'r-1',
  Status,
  ...(Version === undefined ? {} : { DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: 'lt-1', Version } } }),
});

test.each<[string, Calls, object]>([
  ['nothing runs', { ...looks([]), startInstanceRefresh: () => ({ InstanceRefreshId: 'r-2' }) }, { refreshId: 'r-2', adopted: false }],
  ['one to the same version runs', looks([running('2')]), { refreshId: 'r-1', adopted: true }],
  [
    'one has begun between look and start',
    { ...looks([], [running('2')]), startInstanceRefresh: refusing('InstanceRefreshInProgressFault') },
    { refreshId: 'r-1', adopted: true },
  ],
])('where %s', async (_what, calls, started) => {
  expect(await over(calls).activities.startInstanceRefresh(start)).toEqual(started);
});

const other = (what: string): string => `starting the instance refresh of batch: another one is ${what}; let it end, then retry`;

test.each<[string, Calls, string, string]>([
  ['one to another version runs', looks([running('3')]), 'ResourceInUse', other('InProgress, to version 3 of its launch template')],
  ['one of somebody else runs', looks([running(undefined)]), 'ResourceInUse', other('InProgress, to its own launch template')],
  [
    'ours is being cancelled',
    looks([running('2', 'Cancelling')]),
    'ResourceInUse',
    other('Cancelling, to version 2 of its launch template'),
  ],
  [
    'somebody else was faster',
    { ...looks([], [running('3')]), startInstanceRefresh: refusing('InstanceRefreshInProgressFault') },
    'ResourceInUse',
    other('InProgress, to version 3 of its launch template'),
  ],
  [
    'it is refused for another reason, though ours is there now',
    { ...looks([], [running('2')]), startInstanceRefresh: refusing('ValidationError') },
    'InvalidRequest',
    'starting the instance refresh of batch: AWS answered ValidationError (not now)',
  ],
  ['the answer has no id', looks([]), 'Unavailable', 'starting the instance refresh of batch: Auto Scaling answered without an id'],
])('none is started where %s', async (_what, calls, type, message) => {
  await expect(over(calls).activities.startInstanceRefresh(start)).rejects.toMatchObject({ type, message });
});

test.each<[InstanceRefresh['Status'] | undefined, object]>([
  ['Successful', { kind: 'done' }],
  ['Failed', { kind: 'ended', status: 'Failed', why: 'no capacity' }],
  ['RollbackSuccessful', { kind: 'ended', status: 'RollbackSuccessful', why: 'no capacity' }],
  [undefined, { kind: 'ended', status: 'unknown', why: 'Auto Scaling does not know it any more' }],
  ['Baking', { kind: 'progress', percent: 40, leftCount: 2, heldMs: {} }],
])('a refresh that is %s', async (status, outcome) => {
  const refresh = { ...running('2', status), StatusReason: 'no capacity', PercentageComplete: 40, InstancesToUpdate: 2 };
  const { activities } = over(looks(status === undefined ? [] : [refresh]));
  const watch = { ...at, timing: QUICK, refreshId: 'r-1', drain: false, told: 30, ownerKeys: [], timeoutMs: 10_000 };
  expect(await activities.watchInstanceRefresh(watch)).toEqual(outcome);
});

test('a refresh that Auto Scaling does not list yet is looked for again', async () => {
  const { activities } = over(looks([], [], [running('2', 'Successful')]));
  const watch = { ...at, timing: QUICK, refreshId: 'r-1', drain: false, told: 0, ownerKeys: [], timeoutMs: 10_000 };
  expect(await activities.watchInstanceRefresh(watch)).toEqual({ kind: 'done' });
});

test.each<[string, InstanceRefresh[], 'cancel' | 'roll-back', string[]]>([
  ['one that runs', [running('2')], 'cancel', ['cancelInstanceRefresh']],
  ['one that runs, back', [running('2')], 'roll-back', ['rollbackInstanceRefresh']],
  ['one that is being cancelled', [running('2', 'Cancelling')], 'cancel', []],
  ['one that goes back', [running('2', 'RollbackInProgress')], 'roll-back', []],
  ['none', [running('2', 'Successful')], 'cancel', []],
])('to stop %s', async (_what, listed, how, calls) => {
  const { activities, sent } = over(looks(listed));
  await activities.stopInstanceRefresh({ ...at, how });
  expect(sent).toEqual(calls);
});

test('one that ends before it is stopped is fine; what forbids it is not', async () => {
  const stop = (name: string) =>
    over({ ...looks([running('2')]), cancelInstanceRefresh: refusing(name) }).activities.stopInstanceRefresh({ ...at, how: 'cancel' });
  await stop('ActiveInstanceRefreshNotFoundFault');
  await expect(stop('AccessDenied')).rejects.toMatchObject({ type: 'AccessDenied' });
});

test('a group that is gone while its instances are drained is said', async () => {
  const { activities } = over(looks([running('2')]));
  const watch = { ...at, timing: QUICK, refreshId: 'r-1', drain: true, told: 0, ownerKeys: [], timeoutMs: 10 };
  await expect(activities.watchInstanceRefresh(watch)).rejects.toMatchObject({
    type: 'NotFound',
    message: 'reading Auto Scaling group batch: there is none of that name',
  });
});
