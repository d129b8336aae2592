/** Versions of templates and instance refreshes where AWS answers late, half, or that somebody was faster; and who holds a refresh up for how long. */
import { describe, expect, test } from 'vitest';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { Timing } from '../../../../domain/policy/policy.ts';
import { eventually } from '../../../support/eventually.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { budgetObject, nodeObject, podObject } from '../../../support/kubernetes-objects.ts';
import { type Answers, awsError, fakeAccount } from '../../support/fake-account.ts';

const at = { cluster: CLUSTER, group: 'batch' };

function world(answers: Answers, port = new FakeKubernetes()) {
  const { clients, asked } = fakeAccount(answers);
  const activities = createRefreshActivities({ ...depsOf(port), account: () => clients });
  return { activities, operations: () => asked.map(({ operation }) => operation) };
}

describe('a version of the template', () => {
  const source = { VersionNumber: 1, LaunchTemplateData: { ImageId: 'ami-1' } };
  const add = (LaunchTemplateVersion: object) =>
    world({
      // EC2 does not show the new one yet.
      describeLaunchTemplateVersions: ({ Versions }) => {
        if (String(Versions) === '2') throw awsError('InvalidLaunchTemplateId.VersionNotFound');
        return { LaunchTemplateVersions: [source] };
      },
      createLaunchTemplateVersion: () => ({ LaunchTemplateVersion }),
    }).activities.addTemplateVersion({ cluster: CLUSTER, templateId: 'lt-1', source: '1', image: 'ami-2', to: '1.33', token: 't' });

  test('that EC2 does not show yet is not compared, and is no failure', async () => {
    expect(await add({ VersionNumber: 2 })).toEqual({ version: '2', adopted: false });
  });

  test('without a number is none', async () => {
    await expect(add({})).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'adding a version to launch template lt-1: EC2 answered without one',
    });
  });
});

describe('a refresh', () => {
  const theirs = {
    InstanceRefreshId: 'r-1',
    Status: 'InProgress',
    DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '2' } },
  };
  /** `later`: refreshes that Auto Scaling lists after the first look. */
  const start = (startInstanceRefresh: () => unknown, later: object[] = []) => {
    let looks = 0;
    const describeInstanceRefreshes = () => ({ InstanceRefreshes: ++looks === 1 ? [] : later });
    return world({ describeInstanceRefreshes, startInstanceRefresh }).activities.startInstanceRefresh({
      ...at,
      size: 3,
      template: { id: 'lt-1', version: '2' },
      minHealthyPercent: 100,
      checkpointDelayMs: 0,
    });
  };
  const inProgress = () => Promise.reject(awsError('InstanceRefreshInProgressFault'));

  test('without an id is none', async () => {
    await expect(start(() => ({}))).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'starting the instance refresh of batch: Auto Scaling answered without an id',
    });
  });

  test('that somebody was faster with is adopted where it is the same', async () => {
    expect(await start(inProgress, [theirs])).toEqual({ refreshId: 'r-1', adopted: true });
    const other = { ...theirs, DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '5' } } };
    await expect(start(inProgress, [other])).rejects.toThrow('another one is InProgress, to version 5 of its launch template');
    await expect(start(inProgress)).rejects.toMatchObject({ type: 'ResourceInUse' });
  });

  test('that is refused for another reason is not looked for again', async () => {
    await expect(start(() => Promise.reject(awsError('AccessDenied')), [theirs])).rejects.toMatchObject({ type: 'AccessDenied' });
  });

  test.each([
    ['cancel', 'cancelInstanceRefresh'],
    ['roll-back', 'rollbackInstanceRefresh'],
  ] as const)('%s: just that is asked; one that has ended meanwhile is fine, another refusal is not', async (how, operation) => {
    let answer = (): unknown => ({});
    const { activities, operations } = world({
      describeInstanceRefreshes: () => ({ InstanceRefreshes: [theirs] }),
      [operation]: () => answer(),
    });
    const stop = () => activities.stopInstanceRefresh({ ...at, how });
    await stop();
    expect(operations()).toEqual(['describeInstanceRefreshes', operation]);
    answer = () => Promise.reject(awsError('ActiveInstanceRefreshNotFoundFault'));
    await stop();
    answer = () => Promise.reject(awsError('IrreversibleInstanceRefreshFault'));
    await expect(stop()).rejects.toMatchObject({ type: 'InvalidRequest' });
  });
});

/** Two nodes whose instances are to end, each with a pod that its budget holds until it is let go. */
function heldNodes(healthy = 1) {
  const port = new FakeKubernetes();
  port.put('v1', 'nodes', { ...nodeObject('new', '1.33'), spec: { providerID: 'aws:///eu-central-1a/i-new' } });
  port.put('policy/v1', 'poddisruptionbudgets', {
    ...budgetObject('shop', 'cart', { matchLabels: { app: 'cart' } }),
    status: { disruptionsAllowed: 0, expectedPods: 2, currentHealthy: healthy, desiredHealthy: 2 },
  });
  const held = new Set<string>();
  const hold = (node: string): void => {
    held.add(node);
    port
      .put('v1', 'nodes', { ...nodeObject(node, '1.32'), spec: { providerID: `aws:///eu-central-1a/i-${node}` } })
      .put('v1', 'pods', podObject('shop', `cart-${node}`, { node }));
  };
  hold('a');
  port.create = async () => Promise.reject(failureOf('Throttled', 'evicting: Kubernetes answered 429'));
  /** The pod is gone by itself. */
  const empty = (node: string): void => port.remove({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: `cart-${node}` });
  const { activities, operations } = world(
    {
      describeInstanceRefreshes: () => ({ InstanceRefreshes: [{ Status: 'InProgress', PercentageComplete: 4, InstancesToUpdate: 2 }] }),
      describeAutoScalingGroups: () => ({
        AutoScalingGroups: [
          {
            Instances: [
              ...[...held].map((node) => ({ InstanceId: `i-${node}`, LifecycleState: 'Terminating:Wait' })),
              { InstanceId: 'i-new', LifecycleState: 'InService', LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '2' } },
            ],
          },
        ],
      }),
      recordLifecycleActionHeartbeat: () => ({}),
      completeLifecycleAction: ({ InstanceId }) => {
        held.delete(String(InstanceId).replace('i-', ''));
        return {};
      },
    },
    port,
  );
  const watch = (times: Partial<Timing>, input: Partial<Parameters<typeof activities.watchInstanceRefresh>[0]>) =>
    activities.watchInstanceRefresh({ ...at, timing: quickTiming(times), refreshId: 'r-1', drain: true, told: 0, ownerKeys: [], ...input });
  const beats = (): number => operations().filter((operation) => operation === 'recordLifecycleActionHeartbeat').length;
  return { watch, hold, empty, beats, port, operations };
}

const LONG_MS = 60_000;
const REASON = 'pod shop/cart-a is blocked by PodDisruptionBudget shop/cart, which allows no disruption now';

describe('held up by a budget', () => {
  test.each([
    [
      'that will not give way by itself is told after the shorter time',
      2,
      { driftNamedAfterMs: 10, driftBlockedAfterMs: LONG_MS },
      'blocked',
    ],
    ['that may give way is waited for longer', 1, { driftNamedAfterMs: 10, driftBlockedAfterMs: LONG_MS }, 'timed-out'],
    ['that may give way is told after the longer time', 1, { driftNamedAfterMs: 1, driftBlockedAfterMs: 20 }, 'blocked'],
    ['that will not, while no shorter time is set', 2, { driftBlockedAfterMs: LONG_MS }, 'timed-out'],
  ] as const)('%s', async (_title, healthy, times, kind) => {
    const outcome = await heldNodes(healthy).watch(times, { timeoutMs: kind === 'blocked' ? LONG_MS : 60 });
    const told = {
      blocked: { kind, percent: 4, leftCount: 2, node: { node: 'a', leaving: true, reason: REASON } },
      'timed-out': { kind, why: '4 %, 2 instances left' },
    };
    expect(outcome).toMatchObject(told[kind]);
  });

  test('how long it has been held counts on in the next watch', async () => {
    const { watch } = heldNodes();
    const outcome = await watch({ driftBlockedAfterMs: 20 }, { timeoutMs: LONG_MS });
    const { heldMs = {} } = outcome as Extract<typeof outcome, { kind: 'blocked' }>;
    expect(Object.keys(heldMs)).toEqual(['a shop/cart-a shop/cart']);
    const before = { 'a shop/cart-a shop/cart': LONG_MS };
    expect(await watch({ driftBlockedAfterMs: LONG_MS }, { heldMs: before, timeoutMs: 60 })).toMatchObject({ kind: 'blocked' });
  });
});

test('while the API server is away nothing is drained, and what waits to end is held', async () => {
  const { watch, beats, port } = heldNodes();
  port.list = async () => Promise.reject(failureOf('Unavailable', 'listing nodes: no answer'));
  expect(await watch({}, { timeoutMs: 60 })).toMatchObject({ kind: 'timed-out', why: expect.stringContaining('listing nodes: no answer') });
  expect(beats()).toBeGreaterThan(0);
});

test('a look reads the group and the nodes once', async () => {
  const { watch, port, operations } = heldNodes();
  expect(await watch({}, { template: { id: 'lt-1', version: '2' }, timeoutMs: 1 })).toMatchObject({ kind: 'timed-out' });
  const looks = operations().filter((operation) => operation === 'describeInstanceRefreshes').length;
  expect(operations().filter((operation) => operation === 'describeAutoScalingGroups')).toHaveLength(looks);
  expect(port.lists.filter(({ plural }) => plural === 'nodes')).toHaveLength(looks);
});

describe('while people are asked about a node', () => {
  const asked = ['a'];

  test('its instance is held by heartbeats, and its hold is no news', async () => {
    const { watch, beats, empty } = heldNodes();
    const watching = watch({ driftBlockedAfterMs: 5 }, { asked });
    await eventually(() => beats() > 5);
    empty('a');
    // The first that is heard of it.
    expect(await watching).toMatchObject({ kind: 'freed' });
  });

  test('it is let go once it is empty, and nobody has to decide any more', async () => {
    const { watch, empty } = heldNodes();
    const watching = watch({ driftBlockedAfterMs: LONG_MS }, { asked });
    empty('a');
    expect(await watching).toEqual({ kind: 'freed', percent: 4, leftCount: 2, heldMs: {} });
  });

  test('another node that cannot be drained is asked about with it; one that can be is drained meanwhile', async () => {
    const { watch, hold, empty, beats } = heldNodes();
    hold('b');
    hold('c');
    empty('c');
    const outcome = await watch({ driftBlockedAfterMs: 50 }, { asked });
    expect(outcome).toMatchObject({
      kind: 'blocked',
      node: { node: 'a', leaving: true, reason: REASON },
      more: [{ node: 'b', leaving: true, reason: REASON.replace('cart-a', 'cart-b') }],
    });
    expect(beats()).toBeGreaterThan(2);
  });
});
