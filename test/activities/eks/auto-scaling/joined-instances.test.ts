/** Machines that Auto Scaling launches and that never become nodes: nothing more is drained for them, and the refresh does not go on. */
import { describe, expect, test } from 'vitest';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeObject, podObject } from '../../../support/kubernetes-objects.ts';
import { fakeAccount } from '../../support/fake-account.ts';

const LONG_MS = 60_000;

/** Instance old of version 1, which is to end, and instance new of version 2; `status`: of the refresh, until it is stopped. */
function joining({ isReady, status = 'InProgress' }: { isReady: () => boolean; status?: string }) {
  const port = new FakeKubernetes()
    .put('v1', 'nodes', { ...nodeObject('old', '1.32'), spec: { providerID: 'aws:///eu-central-1a/i-old' } })
    .put('v1', 'pods', podObject('shop', 'cart', { node: 'old' }));
  let stage = status;
  let isThere = true;
  const held = new Set(['i-old']);
  const { clients, asked } = fakeAccount({
    describeInstanceRefreshes: () => {
      if (isReady()) port.put('v1', 'nodes', { ...nodeObject('new', '1.33'), spec: { providerID: 'aws:///eu-central-1a/i-new' } });
      return { InstanceRefreshes: [{ InstanceRefreshId: 'r-1', Status: stage, PercentageComplete: 0, InstancesToUpdate: 1 }] };
    },
    describeAutoScalingGroups: () => {
      const launched = (InstanceId: string, Version: string, LifecycleState: string) => ({
        InstanceId,
        LifecycleState,
        LaunchTemplate: { LaunchTemplateId: 'lt-1', Version },
      });
      const old = [...held].map((id) => launched(id, '1', 'Terminating:Wait'));
      return { AutoScalingGroups: [{ Instances: [...old, launched('i-new', '2', 'InService')] }] };
    },
    cancelInstanceRefresh: () => {
      stage = 'Cancelled';
      return {};
    },
    recordLifecycleActionHeartbeat: () => ({}),
    completeLifecycleAction: () => {
      held.clear();
      if (stage === 'InProgress') stage = 'Successful';
      return {};
    },
  });
  const activities = createRefreshActivities({ ...depsOf(port), account: () => clients });
  const operations = (): string[] => asked.map(({ operation }) => operation);
  port.create = async ({ plural }) => {
    expect(plural).toBe('pods/cart/eviction');
    port.remove({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'cart' });
    isThere = false;
    return {} as never;
  };
  const watch = (driftBlockedAfterMs: number, timeoutMs = 2_000) =>
    activities.watchInstanceRefresh({
      cluster: CLUSTER,
      group: 'batch',
      timing: quickTiming({ driftBlockedAfterMs }),
      refreshId: 'r-1',
      template: { id: 'lt-1', version: '2' },
      drain: true,
      told: 0,
      ownerKeys: [],
      timeoutMs,
    });
  return { watch, operations, isThere: () => isThere };
}

describe('a new instance without a Ready node', () => {
  const NOT_JOINED = expect.stringMatching(/^new instance i-new has no Ready node, so no other may be replaced\. /);

  test('no other is drained, but held, as long as it may still come', async () => {
    const { watch, operations, isThere } = joining({ isReady: () => false });
    expect(await watch(LONG_MS, 60)).toMatchObject({ kind: 'timed-out' });
    expect([isThere(), operations().includes('recordLifecycleActionHeartbeat'), operations().includes('cancelInstanceRefresh')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('that lasts: the refresh is stopped, what it ends already is drained, and why is said', async () => {
    const { watch, operations, isThere } = joining({ isReady: () => false });
    expect(await watch(30)).toEqual({ kind: 'ended', status: 'Cancelled', why: NOT_JOINED });
    expect([isThere(), operations().filter((each) => each === 'cancelInstanceRefresh').length]).toEqual([false, 1]);
  });

  test('is no success, even where Auto Scaling has come to its end', async () => {
    const { watch } = joining({ isReady: () => false, status: 'Successful' });
    expect(await watch(30)).toEqual({ kind: 'ended', status: 'Successful', why: NOT_JOINED });
  });

  test('that comes: the refresh goes on to its end', async () => {
    let looks = 0;
    const { watch, operations } = joining({ isReady: () => ++looks > 3 });
    expect(await watch(LONG_MS)).toEqual({ kind: 'done' });
    expect(operations()).not.toContain('cancelInstanceRefresh');
  });
});
