/** A wave by what istiods say of its proxies: who is not connected, who is not in sync, and what is said where nobody may ask. */
import { expect, test } from 'vitest';
import { CLUSTER as cluster } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addIstiodPods, addMeshPod, meshWorld, syncOf } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const CART = 'cart/web-7c9d-x';
const MAIL = 'mail/web-7c9d-x';

function moved(): FakeKubernetes {
  const port = meshWorld();
  for (const namespace of ['cart', 'mail']) addMeshPod(port, namespace, 'web', '1-28', '1.28.3');
  return port;
}

/** `counts`: pilot_xds of 1.28, before and after; absent: no Prometheus. */
async function verify(port: FakeKubernetes, counts?: [before: number, after: number], timing = quickTiming()) {
  const prometheus = { query: async () => [{ labels: { version: '1.28.3' }, value: counts?.[1] ?? 0 }] };
  const istio = createIstioActivities(depsOf(port, counts === undefined ? {} : { prometheus }));
  const seen = await istio.awaitProxies({
    cluster,
    timing,
    namespaces: ['cart', 'mail'],
    revision: '1-28',
    minor: '1.28',
    connected: counts === undefined ? { kind: 'blind', why: 'no Prometheus' } : { kind: 'seen', versions: { '1.28.3': counts[0] } },
  });
  expect(seen.ok).toBe(true);
  return seen.connections;
}

test('all of them, over several istiods: verified by name, without Prometheus too', async () => {
  const port = moved();
  addIstiodPods(port, '1-28', [syncOf(CART)], [syncOf(MAIL), syncOf('other/x')]);
  expect(await verify(port)).toEqual({ kind: 'pass', lines: ['2 proxies are connected to istiod of 1-28 and in sync (syncz)'] });
});

test('one that is missing and one that is STALE are named, though the count is right', async () => {
  const port = moved();
  addIstiodPods(port, '1-28', [syncOf(CART, 'c0')]);
  addIstiodPods(port, '1-26', [syncOf(MAIL)]);
  expect(await verify(port, [0, 2])).toEqual({
    kind: 'inconclusive',
    lines: [
      'istiod of 1-28 does not have all proxies in sync (syncz):',
      `${CART}: STALE (clusters)`,
      `${MAIL}: not connected`,
      'istiod counts 2 connected proxies of 1.28, 2 more than before the move',
    ],
  });
});

test('what was just sent is waited for', async () => {
  const port = moved();
  addIstiodPods(port, '1-28', [syncOf(CART, ''), syncOf(MAIL)]);
  const ask = port.getInPod.bind(port);
  let looks = 0;
  port.getInPod = async (...place) => {
    looks += 1;
    if (looks === 2) addIstiodPods(port, '1-28', [syncOf(CART), syncOf(MAIL)]);
    return await ask(...place);
  };
  // As long as a busy machine may take for a second look.
  expect(await verify(port, [0, 2], quickTiming({ pollMaxMs: 5_000 }))).toMatchObject({ kind: 'pass' });
});

test('without the right pilot_xds decides as before, and what was not read is said', async () => {
  const port = moved();
  addIstiodPods(port, '1-28', [syncOf(CART)]);
  port.inPods = undefined;
  const line =
    'Which proxies are in sync was not read (syncz): Belay may not forward ports to istiod (deploy/kubernetes-rbac-mesh-debug.yaml lets it)';
  expect(await verify(port, [0, 2])).toEqual({
    kind: 'pass',
    lines: ['istiod counts 2 connected proxies of 1.28, 2 more than before the move', line],
  });
  expect(await verify(port, [0, 1])).toMatchObject({ kind: 'inconclusive' });
});

test('a fault of Belay’s own is no blindness', async () => {
  const port = moved();
  addIstiodPods(port, '1-28', [syncOf(CART), syncOf(MAIL)]);
  port.getInPod = () => Promise.reject(new TypeError('socket is undefined'));
  await expect(verify(port, undefined, quickTiming({ apiTransientMs: 0 }))).rejects.toThrow('socket is undefined');
});
