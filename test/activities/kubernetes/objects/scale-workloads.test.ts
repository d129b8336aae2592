/** Scaling by one and back, and deleting one pod: each at most once. */
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { podObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createWorkloadActivities } from '../../../../activities/kubernetes/objects/scale-workloads.ts';

const cluster = CLUSTER;

describe.each([
  ['Deployment', 'deployments'],
  ['StatefulSet', 'statefulsets'],
] as const)('%s', (kind, plural) => {
  const REF = { apiVersion: 'apps/v1', plural, namespace: 'shop', name: 'ledger' };
  const which = { cluster, kind, namespace: 'shop', name: 'ledger' };

  function world(replicas = 1) {
    const port = new FakeKubernetes().put('apps/v1', plural, workloadObject(kind, 'shop', 'ledger', { replicas }));
    const activities = createWorkloadActivities(depsOf(port));
    /** What the controller would do. */
    const settle = (readyReplicas: number) =>
      port.edit(REF, (object) => void (object.status = { observedGeneration: 99, replicas: readyReplicas, readyReplicas }));
    return {
      port,
      settle,
      scale: () => activities.scaleByOne({ ...which, timing: quickTiming() }),
      /** Its new pod is not waited for. */
      scaleOnly: () => activities.scaleByOne({ ...which, timing: quickTiming({ rolloutTimeoutMs: 10 }) }),
      back: () => activities.scaleBack(which),
      replicas: () => (port.look(REF).spec as { replicas: number }).replicas,
      setReplicas: (count: number) => port.edit(REF, (object) => void (object.spec = { ...(object.spec as object), replicas: count })),
      annotations: () => port.look(REF).metadata.annotations,
    };
  }

  test('one more, waits until it is ready, and back without a trace', async () => {
    const { port, scale, back, replicas, annotations, settle } = world();
    setTimeout(() => settle(2), 10);
    expect(await scale()).toEqual({ before: 1, after: 2, ready: true });
    expect(replicas()).toBe(2);
    expect(annotations()).toEqual({ 'belay.dev/replicas-before': '1' });
    expect(await back()).toEqual({ restored: true, changedByOthers: false });
    expect(replicas()).toBe(1);
    expect(annotations()).toBeUndefined();
    expect(port.patches).toHaveLength(2);
  });

  test('says when the new pod does not become ready', async () => {
    expect(await world().scaleOnly()).toEqual({ before: 1, after: 2, ready: false });
  });

  test('the answer is lost: the retry scales no further', async () => {
    const { port, scale, replicas, settle } = world(3);
    port.afterPatch = () => {
      throw failureOf('Unavailable', 'the connection was reset');
    };
    await expect(scale()).rejects.toThrow('the connection was reset');
    port.afterPatch = undefined;
    settle(4);
    expect(await scale()).toEqual({ before: 3, after: 4, ready: true });
    expect(replicas()).toBe(4);
    expect(port.patches).toHaveLength(1);
  });

  test('somebody (an autoscaler) took the replica away: it is put back, the before-image stays', async () => {
    const { scaleOnly, setReplicas, replicas, annotations } = world();
    await scaleOnly();
    setReplicas(1);
    await scaleOnly();
    expect(replicas()).toBe(2);
    expect(annotations()).toEqual({ 'belay.dev/replicas-before': '1' });
  });

  test.each([
    [5, { restored: false, changedByOthers: true }, 5],
    [1, { restored: true, changedByOthers: false }, 1],
    [2, { restored: true, changedByOthers: false }, 1],
  ])('back when there are %d replicas now: %j', async (now, result, left) => {
    const { scaleOnly, back, setReplicas, replicas, annotations } = world();
    await scaleOnly();
    setReplicas(now);
    expect(await back()).toEqual(result);
    expect(replicas()).toBe(left);
    expect(annotations()).toBeUndefined();
    // The answer was lost: asked again, there is nothing left to do.
    expect(await back()).toEqual({ restored: true, changedByOthers: false });
    expect(replicas()).toBe(left);
  });

  test('a workload that is gone: scaling says so, scaling back has nothing to do', async () => {
    const { port, scale, back } = world();
    port.remove(REF);
    await expect(scale()).rejects.toThrow(`scaling ${kind} shop/ledger: it does not exist any more`);
    expect(await back()).toEqual({ restored: true, changedByOthers: false });
  });

  test('a workload that goes while its new pod is awaited ends the wait', async () => {
    const { port, scale } = world();
    setTimeout(() => port.remove(REF), 10);
    await expect(scale()).rejects.toThrow(`waiting for ${kind} shop/ledger: it does not exist any more`);
  });
});

describe('deleting a pod', () => {
  const remove = (port: FakeKubernetes) => createWorkloadActivities(depsOf(port)).deletePod({ cluster, namespace: 'shop', name: 'cart-0' });

  test('deletes it; a pod that is gone or going is fine', async () => {
    const port = new FakeKubernetes().put('v1', 'pods', podObject('shop', 'cart-0'));
    await remove(port);
    await remove(port);
    expect(port.deleted).toEqual(['pods/shop/cart-0']);
    const going = podObject('shop', 'cart-0');
    port.put('v1', 'pods', { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    await remove(port);
    expect(port.deleted).toHaveLength(1);
  });

  test('the pod that people saw, and no other: whatever was recorded of an earlier attempt', async () => {
    const port = new FakeKubernetes().put('v1', 'pods', podObject('shop', 'cart-0'));
    const { uid } = port.look({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'cart-0' }).metadata;
    const removeSeen = () => createWorkloadActivities(depsOf(port)).deletePod({ cluster, namespace: 'shop', name: 'cart-0', uid });
    await removeSeen();
    port.put('v1', 'pods', podObject('shop', 'cart-0'));
    await removeSeen();
    expect(port.deleted).toHaveLength(1);
  });

  test('the answer is lost and the StatefulSet has made a new pod of the same name: that one lives', async () => {
    const port = new FakeKubernetes().put('v1', 'pods', podObject('shop', 'cart-0'));
    let last: unknown;
    await runWithin({ beat: (details) => void (last = details) }, () => remove(port));
    port.put('v1', 'pods', podObject('shop', 'cart-0'));
    await runWithin({ lastBeat: last }, () => remove(port));
    expect(port.deleted).toHaveLength(1);
  });
});
