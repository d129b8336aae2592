/** Workload controllers, scheduler, kubelet, budgets and nodes, driven by a clock that the test moves. */
import { describe, expect, test } from 'vitest';
import { coreControllers, FAULT_ANNOTATION, settle } from '../../../rehearsal/kubernetes/controllers/index.ts';
import { rollingSizes } from '../../../rehearsal/kubernetes/controllers/workloads/rolling.ts';
import { evictPod } from '../../../rehearsal/kubernetes/pods/eviction.ts';
import { conditionOf, isReady, isTerminating } from '../../../rehearsal/kubernetes/pods/pods.ts';
import { StoreError } from '../../../rehearsal/kubernetes/store.ts';
import { budget, makeWorld, node, restart, workload } from './world.ts';

const defaultBounds = { maxSurge: '25%', maxUnavailable: '25%' };

describe('rolling arithmetic', () => {
  test.each([
    ['a first rollout takes all at once', 4, [0, 0], [], { new: 4 }],
    ['a surge of 25 % rounds up', 10, [0, 0], [[10, 10]], { new: 3 }],
    ['nothing goes before new pods are available, but for what may be unavailable', 10, [3, 0], [[10, 10]], { old0: 8 }],
    ['available new pods let old ones go', 10, [3, 3], [[10, 10]], { old0: 5 }],
    ['25 % of one pod rounds down: the old one stays until the new one is available', 1, [1, 0], [[1, 1]], {}],
    ['then it goes', 1, [1, 1], [[1, 1]], { old0: 0 }],
    ['old pods that serve nobody go first', 4, [1, 0], [[4, 2]], { old0: 3 }],
    ['a Deployment scaled down shrinks its new set', 2, [4, 4], [], { new: 2 }],
    ['done is done', 3, [3, 3], [[0, 0]], {}],
  ])('%s', (_name, replicas, current, old, expected) => {
    const counts = (name: string, [desired = 0, available = 0]: number[]) => ({ name, desired, available });
    const sets = old.map((each, index) => counts(`old${index}`, each));
    expect(rollingSizes({ replicas, ...defaultBounds, current: counts('new', current), old: sets })).toEqual(expected);
  });
});

describe('deployments', () => {
  test('start, and say so in their status', () => {
    const { store, run, living } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 3 }));
    run(4, 1000);
    expect(living('cart')).toHaveLength(3);
    expect(living('cart').some(isReady)).toBe(false);
    expect(store.get('deployments', 'cart', 'default')?.status).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });
    run(4, 2000);
    const deployment = store.get('deployments', 'cart', 'default');
    expect(deployment?.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    expect(deployment && conditionOf(deployment, 'Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
    expect(deployment && conditionOf(deployment, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
    expect(living('cart')[0]?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ name: 'app', ready: true }] });
  });

  test.each([
    ['small steps', 500],
    ['steps of twelve seconds', 12_000],
  ])('restartedAt rolls all pods and never leaves the bounds, in %s', (_name, stepMs) => {
    const { store, run, living, world } = makeWorld();
    for (const name of ['node-1', 'node-2']) store.create('nodes', node(name));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 8 }));
    settle(world);
    const before = new Set(living('cart').map((pod) => pod.metadata.uid));
    store.update('deployments', 'cart', 'default', (copy) => restart(copy, '2026-03-02T09:00:00Z'));
    const seen: { available: number; total: number }[] = [];
    run(150, stepMs, () => seen.push({ available: living('cart').filter(isReady).length, total: living('cart').length }));
    expect(Math.min(...seen.map(({ available }) => available))).toBeGreaterThanOrEqual(6);
    expect(Math.max(...seen.map(({ total }) => total))).toBe(10);
    expect(living('cart').filter((pod) => before.has(pod.metadata.uid))).toEqual([]);
    expect(living('cart')).toHaveLength(8);
    expect(store.get('deployments', 'cart', 'default')?.status).toMatchObject({
      updatedReplicas: 8,
      availableReplicas: 8,
      observedGeneration: 2,
    });
    expect(store.get('deployments', 'cart', 'default')?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
    const version = store.resourceVersion();
    run(3, stepMs);
    expect(store.resourceVersion()).toBe(version);
  });

  test('going back to an earlier template takes its ReplicaSet up again', () => {
    const { store, run, world } = makeWorld();
    store.create('nodes', node('node-1'));
    const original = workload('Deployment', 'cart', { replicas: 2 });
    store.create('deployments', original);
    settle(world);
    store.update('deployments', 'cart', 'default', (copy) => restart(copy, 'now'));
    run(20, 3000);
    store.update('deployments', 'cart', 'default', (copy) => void delete copy.spec.template.metadata.annotations);
    run(20, 3000);
    const sets = store
      .list('replicasets')
      .map((set) => [set.spec.replicas, set.metadata.annotations?.['deployment.kubernetes.io/revision']]);
    expect(sets).toEqual([
      [2, '3'],
      [0, '2'],
    ]);
  });

  test('a paused one is not rolled; pods that never get ready stop a rollout and end in ProgressDeadlineExceeded', () => {
    const { store, run, living, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 4, paused: true }));
    store.update('deployments', 'cart', 'default', (copy) => void (copy.spec.paused = false));
    settle(world);
    store.update('deployments', 'cart', 'default', (copy) => {
      copy.spec.paused = true;
      copy.spec.template.metadata.annotations = { [FAULT_ANNOTATION]: 'crash-loop' };
    });
    run(10, 3000);
    expect(store.list('replicasets')).toHaveLength(1);
    store.update('deployments', 'cart', 'default', (copy) => void (copy.spec.paused = false));
    run(300, 3000);
    expect(living('cart').filter(isReady)).toHaveLength(3);
    const deployment = store.get('deployments', 'cart', 'default');
    expect(deployment && conditionOf(deployment, 'Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
  });

  test('deleting one takes its ReplicaSets and pods with it', () => {
    const { store, run, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 2 }));
    settle(world);
    store.delete('deployments', 'cart', 'default');
    run(3, 2000);
    expect([store.list('replicasets'), store.list('pods')]).toEqual([[], []]);
  });
});

describe('other workloads', () => {
  test('a StatefulSet starts in order and is replaced from its highest ordinal down, one at a time', () => {
    const { store, run, living, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('statefulsets', workload('StatefulSet', 'db', { replicas: 3 }));
    run(1, 1000);
    expect(living('db').map((pod) => pod.metadata.name)).toEqual(['db-0']);
    settle(world);
    expect(living('db').map((pod) => pod.metadata.name)).toEqual(['db-0', 'db-1', 'db-2']);
    const gone: string[] = [];
    store.watch(({ type, plural, object }) => void (type === 'DELETED' && plural === 'pods' && gone.push(object.metadata.name)));
    store.update('statefulsets', 'db', 'default', (copy) => restart(copy, 'now'));
    const ready: number[] = [];
    run(30, 3000, () => ready.push(living('db').filter(isReady).length));
    expect(gone).toEqual(['db-2', 'db-1', 'db-0']);
    expect(Math.min(...ready)).toBe(2);
    expect(store.get('statefulsets', 'db', 'default')?.status).toMatchObject({ updatedReplicas: 3, readyReplicas: 3, currentReplicas: 3 });
  });

  test('OnDelete waits for people', () => {
    const { store, run, living, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('statefulsets', workload('StatefulSet', 'db', { replicas: 1, updateStrategy: { type: 'OnDelete' } }));
    settle(world);
    store.update('statefulsets', 'db', 'default', (copy) => restart(copy, 'now'));
    run(5, 3000);
    expect(store.get('statefulsets', 'db', 'default')?.status).toMatchObject({ replicas: 1, updatedReplicas: 0 });
    store.delete('pods', 'db-0', 'default');
    run(6, 3000);
    expect(living('db')).toHaveLength(1);
    expect(store.get('statefulsets', 'db', 'default')?.status).toMatchObject({ replicas: 1, updatedReplicas: 1 });
  });

  test('a DaemonSet has one pod per node that it fits, also on new and cordoned ones, and rolls one by one', () => {
    const { store, run, living, world } = makeWorld();
    for (const name of ['node-1', 'node-2']) store.create('nodes', node(name));
    store.create('nodes', node('gpu', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }));
    store.create('daemonsets', workload('DaemonSet', 'agent'));
    settle(world);
    store.update('nodes', 'node-2', undefined, (copy) => void (copy.spec.unschedulable = true));
    store.create('nodes', node('node-3'));
    run(4, 3000);
    expect(new Set(living('agent').map((pod) => pod.spec.nodeName))).toEqual(new Set(['node-1', 'node-2', 'node-3']));
    expect(living('agent')).toHaveLength(3);
    store.update('daemonsets', 'agent', 'default', (copy) => restart(copy, 'now'));
    const ready: number[] = [];
    run(30, 3000, () => ready.push(living('agent').filter(isReady).length));
    expect(Math.min(...ready)).toBe(2);
    expect(store.get('daemonsets', 'agent', 'default')?.status).toMatchObject({
      desiredNumberScheduled: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    });
  });
});

describe('a webhook that cannot be called', () => {
  const REFUSAL = 'Internal error occurred: failed calling webhook "rev.namespace.sidecar-injector.istio.io": no endpoints available';

  test.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)(
    'refuses pods of one %s: it is told so, all others go on, and it recovers',
    (kind) => {
      let down = true;
      const refuse = ({ metadata }: { metadata: { labels?: Record<string, string> } }): void => {
        if (down && metadata.labels?.['app'] === 'a-meshed') throw new StoreError(500, 'InternalError', REFUSAL);
      };
      const { store, run, living } = makeWorld({ admission: [refuse] });
      store.create('nodes', node('node-1'));
      // By name the meshed one is looked at first.
      store.create(`${kind.toLowerCase()}s`, workload(kind, 'a-meshed'));
      store.create(`${kind.toLowerCase()}s`, workload(kind, 'b-plain'));
      run(60, 1000);
      expect([living('a-meshed').length, living('b-plain').length]).toEqual([0, 1]);
      const told = store.list('events').filter(({ reason }) => reason === 'FailedCreate');
      const owner = kind === 'Deployment' ? 'ReplicaSet' : kind;
      expect(told).toMatchObject([{ type: 'Warning', message: `Error creating: ${REFUSAL}`, involvedObject: { kind: owner } }]);
      expect(told[0]?.['count']).toBeLessThan(10);
      down = false;
      run(3, 1000);
      expect(living('a-meshed')).toHaveLength(1);
    },
  );
});

describe('scheduling', () => {
  test('replicas spread; cordoned, tainted, full and unready nodes are left out, and the reason is told', () => {
    const { store, run, living } = makeWorld();
    store.create('nodes', node('small', { cpu: '1' }));
    store.create('nodes', node('large', { cpu: '1' }));
    store.create('nodes', node('tainted', { taints: [{ key: 'team', value: 'data', effect: 'NoSchedule' }] }));
    store.create('nodes', node('cordoned'));
    store.update('nodes', 'cordoned', undefined, (copy) => void (copy.spec.unschedulable = true));
    store.create('nodes', node('unready', { ready: false }));
    const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '600m' } } }];
    store.create('deployments', workload('Deployment', 'cart', { replicas: 3 }, { containers }));
    run(3, 1000);
    expect(new Set(living('cart').map((pod) => pod.spec.nodeName))).toEqual(new Set([undefined, 'large', 'small']));
    const pending = living('cart').find((pod) => !pod.spec.nodeName);
    expect(pending && conditionOf(pending, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        '0/5 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 1 node(s) had untolerated taint {team: data}, 1 node(s) were unschedulable, 2 Insufficient cpu.',
    });
    const told = store.list('events').filter(({ involvedObject }) => involvedObject.kind === 'Pod');
    expect(told).toMatchObject([{ reason: 'FailedScheduling', type: 'Warning', involvedObject: { kind: 'Pod' } }]);
    store.create('nodes', node('new'));
    run(3, 3000);
    expect(living('cart').every((pod) => pod.spec.nodeName)).toBe(true);
  });

  test('tolerations, node selectors and anti-affinity are kept to', () => {
    const { store, run, living } = makeWorld();
    store.create('nodes', node('a', { labels: { pool: 'data' }, taints: [{ key: 'team', value: 'data', effect: 'NoSchedule' }] }));
    store.create('nodes', node('b'));
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    };
    const spec = { nodeSelector: { pool: 'data' }, tolerations: [{ key: 'team', operator: 'Exists' }], affinity: { podAntiAffinity } };
    store.create('deployments', workload('Deployment', 'db', { replicas: 2 }, spec));
    run(2, 1000);
    expect(living('db').map((pod) => pod.spec.nodeName)).toEqual(['a', undefined]);
  });
});

describe('nodes', () => {
  test('pods of a node that is deleted go at once, and are made anew elsewhere', () => {
    const { store, run, living, world, pods } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 2 }));
    settle(world);
    store.create('nodes', node('node-2'));
    store.delete('nodes', 'node-1');
    run(1, 500);
    expect(pods('cart').map((pod) => pod.spec.nodeName)).toEqual(['node-2', 'node-2']);
    run(3, 3000);
    expect(living('cart').filter(isReady)).toHaveLength(2);
  });

  test('pods on a node that is not ready are not ready, until it is again', () => {
    const { store, run, living, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 1 }));
    settle(world);
    const setReady = (status: string) =>
      store.update('nodes', 'node-1', undefined, (copy) => void (copy.status.conditions = [{ type: 'Ready', status }]));
    setReady('Unknown');
    run(2, 1000);
    expect(living('cart').map(isReady)).toEqual([false]);
    setReady('True');
    run(2, 1000);
    expect(living('cart').map(isReady)).toEqual([true]);
    expect(store.get('nodes', 'node-1')?.spec.taints).toBeUndefined();
  });
});

describe('disruption budgets', () => {
  test.each([
    ['minAvailable 1 of 1', 1, { minAvailable: 1 }, { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0 }],
    ['minAvailable 2 of 3', 3, { minAvailable: 2 }, { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
    [
      'minAvailable 50 % of 5 rounds up',
      5,
      { minAvailable: '50%' },
      { expectedPods: 5, currentHealthy: 5, desiredHealthy: 3, disruptionsAllowed: 2 },
    ],
    ['maxUnavailable 1 of 3', 3, { maxUnavailable: 1 }, { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
    [
      'maxUnavailable 25 % of 5 rounds up',
      5,
      { maxUnavailable: '25%' },
      { expectedPods: 5, currentHealthy: 5, desiredHealthy: 3, disruptionsAllowed: 2 },
    ],
    ['maxUnavailable 0', 3, { maxUnavailable: 0 }, { expectedPods: 3, currentHealthy: 3, desiredHealthy: 3, disruptionsAllowed: 0 }],
    ['no pods', 0, { minAvailable: 1 }, { expectedPods: 0, currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 }],
  ])('%s', (_name, replicas, spec, expected) => {
    const { store, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas }));
    store.create('poddisruptionbudgets', budget('cart', 'cart', spec));
    settle(world);
    expect(store.get('poddisruptionbudgets', 'cart', 'default')?.status).toMatchObject({ ...expected, observedGeneration: 1 });
  });

  test('an eviction uses the budget up until the new pod is ready', () => {
    const { store, run, living, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 2 }));
    store.create('poddisruptionbudgets', budget('cart', 'cart', { minAvailable: 1 }));
    settle(world);
    const [first, second] = living('cart');
    expect(evictPod(world, first?.metadata.name ?? '', 'default')).toEqual({ ok: true });
    const evictSecond = () => evictPod(world, second?.metadata.name ?? '', 'default');
    expect(evictSecond()).toMatchObject({ ok: false, blockedBy: ['cart'], error: { code: 429 } });
    run(1, 1000);
    expect(store.get('poddisruptionbudgets', 'cart', 'default')?.status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    expect(evictSecond().ok).toBe(false);
    run(4, 3000);
    expect(store.get('poddisruptionbudgets', 'cart', 'default')?.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(evictSecond().ok).toBe(true);
  });

  test('a single replica with a budget of one stays, and goes once it is scaled by one', () => {
    const { store, run, living, world } = makeWorld();
    for (const name of ['node-1', 'node-2']) store.create('nodes', node(name));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 1 }));
    store.create('poddisruptionbudgets', budget('cart', 'cart', { minAvailable: 1 }));
    settle(world);
    const name = living('cart')[0]?.metadata.name ?? '';
    expect(evictPod(world, name, 'default').ok).toBe(false);
    store.update('deployments', 'cart', 'default', (copy) => void (copy.spec.replicas = 2));
    run(4, 3000);
    expect(evictPod(world, name, 'default').ok).toBe(true);
  });

  test('evicting what is not there, or what has not begun', () => {
    const { store, run, living, world } = makeWorld();
    store.create('deployments', workload('Deployment', 'cart', { replicas: 1 }));
    store.create('poddisruptionbudgets', budget('cart', 'cart', { minAvailable: 1 }));
    run(3, 1000);
    expect(evictPod(world, 'gone', 'default')).toMatchObject({ ok: false, blockedBy: [], error: { code: 404 } });
    expect(evictPod(world, living('cart')[0]?.metadata.name ?? '', 'default')).toEqual({ ok: true });
  });
});

describe('services', () => {
  test('endpoints hold the ready pods', () => {
    const { store, run, living, world } = makeWorld();
    store.create('nodes', node('node-1'));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 2 }));
    store.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'cart', namespace: 'default' },
      spec: { selector: { app: 'cart' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    settle(world);
    const addresses = () => store.get('endpoints', 'cart', 'default')?.subsets[0]?.addresses.map((each: { ip: string }) => each.ip);
    expect(addresses()).toEqual(living('cart').map((pod) => pod.status.podIP));
    expect(new Set(addresses()).size).toBe(2);
    store.delete('pods', living('cart')[0]?.metadata.name ?? '', 'default');
    run(1, 500);
    expect(addresses()).toHaveLength(1);
  });
});

test('events are forgotten after an hour', () => {
  const { store, run, world } = makeWorld();
  store.create('nodes', node('node-1'));
  store.create('deployments', workload('Deployment', 'cart', { replicas: 1 }));
  settle(world);
  const reasons = () => store.list('events').map(({ reason }) => reason);
  expect(reasons()).toEqual(['ScalingReplicaSet', 'SuccessfulCreate']);
  run(1, 60 * 60_000);
  expect(reasons()).toHaveLength(2);
  run(1, 1_000);
  expect(reasons()).toEqual([]);
});

describe('size', () => {
  test('a settled cluster of 40 nodes and 200 pods changes nothing more', () => {
    const { store, run, world } = makeWorld();
    for (let index = 0; index < 40; index += 1) store.create('nodes', node(`node-${index}`));
    for (let index = 0; index < 20; index += 1) {
      store.create('deployments', workload('Deployment', `app-${index}`, { replicas: 10 }));
      store.create('poddisruptionbudgets', budget(`app-${index}`, `app-${index}`, { maxUnavailable: 1 }));
    }
    settle(world);
    expect(store.list('pods').filter((pod) => isReady(pod) && !isTerminating(pod))).toHaveLength(200);
    const version = store.resourceVersion();
    run(5, 60_000);
    expect(store.resourceVersion()).toBe(version);
    expect(coreControllers.every((controller) => controller.everyMs > 0)).toBe(true);
  });
});
