/** Pods that only a deletion moves: one by one, each when all others are Ready, and none twice, whatever its next proxy is. */
import { expect, test } from 'vitest';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addWorkload, meshWorld } from '../../../support/istio-objects.ts';
import { condition, podObject } from '../../../support/kubernetes-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const SET = { kind: 'StatefulSet', namespace: 'cart', name: 'db' } as const;
const pod = (name: string) => ({ apiVersion: 'v1', plural: 'pods', namespace: 'cart', name });

function put(port: FakeKubernetes, name: string, revision: string, ready = true, made = 'first'): void {
  const seed = podObject('cart', name, {
    owner: { kind: 'StatefulSet', name: 'db' },
    annotations: { 'istio.io/rev': revision },
    proxy: revision === '1-28' ? '1.28.3' : '1.26.2',
  });
  const status = { phase: 'Running', conditions: [condition('Ready', ready ? 'True' : 'False')] };
  port.put('v1', 'pods', { ...seed, metadata: { ...seed.metadata, uid: `${name} of ${revision}, ${made}` }, status });
}

/** Pods db-0 to db-10 of 1-26 under a controller that makes a deleted one anew, Ready a moment later. Returns the order of deletions. */
function world(next = '1-28'): { port: FakeKubernetes; order: string[] } {
  const port = meshWorld();
  const order: string[] = [];
  addWorkload(port, 'cart', 'db', { replicas: 3, updateStrategy: { type: 'OnDelete' } }, 'StatefulSet');
  for (const name of ['db-0', 'db-2', 'db-10']) put(port, name, '1-26');
  const remove = port.delete.bind(port);
  port.delete = async (ref, options) => {
    const unready = (await port.list<ReturnType<typeof port.look>>({ apiVersion: 'v1', plural: 'pods', namespace: 'cart' }))?.filter(
      ({ status }) => JSON.stringify(status).includes('"status":"False"'),
    );
    order.push(`${ref.name}${unready?.length === 0 ? '' : ' while another was not Ready'}`);
    await remove(ref, options);
    put(port, ref.name, next, false, 'anew');
    setTimeout(() => put(port, ref.name, next, true, 'anew'), 5);
  };
  return { port, order };
}

const roll = (port: FakeKubernetes, change: object = {}, timing = {}) =>
  createIstioActivities(depsOf(port)).rollByHand({
    cluster: CLUSTER,
    timing: quickTiming({ rolloutTimeoutMs: 5_000, ...timing }),
    sets: [SET],
    revision: '1-28',
    ...change,
  });

test('the highest ordinal first, the next one when all are Ready; again: nothing', async () => {
  const { port, order } = world();
  expect(await roll(port)).toEqual({ deletedCount: 3 });
  expect(order).toEqual(['db-10', 'db-2', 'db-0']);
  expect(await roll(port)).toEqual({ deletedCount: 0 });
  expect(order).toHaveLength(3);
});

test('pods that start with the old proxy again are not deleted again', async () => {
  const { port, order } = world('1-26');
  expect(await roll(port)).toEqual({ deletedCount: 3 });
  expect(order).toEqual(['db-10', 'db-2', 'db-0']);
});

test('cut off after the first deletion: the retry deletes the other two', async () => {
  const { port, order } = world();
  const remove = port.delete;
  port.delete = async (ref, options) => {
    await remove(ref, options);
    throw failureOf('Unavailable', 'the connection was reset');
  };
  await expect(roll(port)).rejects.toThrow('the connection was reset');
  port.delete = remove;
  expect(await roll(port)).toEqual({ deletedCount: 2 });
  expect(order).toEqual(['db-10', 'db-2', 'db-0']);
});

test('a set that is not whole is not touched', async () => {
  const { port, order } = world();
  put(port, 'db-2', '1-26', false);
  expect(await roll(port, {}, { rolloutTimeoutMs: 15 })).toEqual({ deletedCount: 0, stuck: 'StatefulSet cart/db: 2 of 3 pods are Ready' });
  expect(order).toEqual([]);
});

test('a set that is gone meanwhile has nothing left to roll', async () => {
  const port = meshWorld();
  expect(await roll(port, {}, { rolloutTimeoutMs: 15 })).toEqual({ deletedCount: 0 });
});

test('a pod without a controller goes by its uid, never the next one of its name', async () => {
  const port = meshWorld();
  port.put('v1', 'pods', podObject('cart', 'naked', { proxy: '1.26.2' }));
  const { uid } = port.look(pod('naked')).metadata;
  expect(await roll(port, { sets: [], pods: [{ namespace: 'cart', name: 'naked', uid: 'another' }] })).toEqual({ deletedCount: 1 });
  expect(port.look(pod('naked')).metadata.uid).toBe(uid);
  await roll(port, { sets: [], pods: [{ namespace: 'cart', name: 'naked', uid }] });
  expect(await port.get(pod('naked'))).toBeUndefined();
});
