/** Where the twin's scheduler lets a pod go: what it asks for, other pods, volumes. */
import { describe, expect, test } from 'vitest';
import { requestsOf } from '../../../rehearsal/kubernetes/controllers/scheduling/requests.ts';
import { conditionOf } from '../../../rehearsal/kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { makeWorld, node, workload } from './world.ts';

const ZONE = 'topology.kubernetes.io/zone';
const asks = (cpu: string, more: object = {}): object => ({ resources: { requests: { cpu } }, ...more });
const lone = (name: string, spec: object, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
});
const placed = (store: ReturnType<typeof makeWorld>['store'], name: string): string | undefined =>
  store.get('pods', name, 'default')?.spec.nodeName;
const refusal = (store: ReturnType<typeof makeWorld>['store'], name: string): string | undefined => {
  const pod = store.get('pods', name, 'default');
  return pod && conditionOf(pod, 'PodScheduled')?.message;
};
const inZones = (store: ReturnType<typeof makeWorld>['store'], ...zones: string[]): void =>
  zones.forEach((zone, index) => store.create('nodes', node(`${zone}-${index}`, { labels: { [ZONE]: zone } })));

describe('requests', () => {
  test.each([
    { what: 'containers together', spec: { containers: [asks('300m'), asks('200m')] }, cpu: 0.5 },
    { what: 'an init container that needs more', spec: { containers: [asks('300m')], initContainers: [asks('2')] }, cpu: 2 },
    { what: 'one that needs less', spec: { containers: [asks('300m')], initContainers: [asks('100m')] }, cpu: 0.3 },
    {
      what: 'a sidecar beside the containers and beside the init containers after it',
      spec: { containers: [asks('300m')], initContainers: [asks('200m', { restartPolicy: 'Always' }), asks('1')] },
      cpu: 1.2,
    },
    { what: 'overhead', spec: { containers: [asks('300m')], overhead: { cpu: '50m' } }, cpu: 0.35 },
  ])('$what', ({ spec, cpu }) => {
    expect(requestsOf(lone('a', spec)).cpu).toBeCloseTo(cpu);
  });

  test('other resources count as well', () => {
    const { store, run } = makeWorld();
    const machine = node('gpu');
    machine.status.allocatable['nvidia.com/gpu'] = '1';
    store.create('nodes', machine);
    const containers = [{ name: 'train', image: 'train:1', resources: { requests: { 'nvidia.com/gpu': '1' } } }];
    store.create('pods', lone('first', { containers }));
    store.create('pods', lone('second', { containers }));
    run(2, 1000);
    expect([placed(store, 'first'), placed(store, 'second')]).toEqual(['gpu', undefined]);
    expect(refusal(store, 'second')).toBe('0/1 nodes are available: 1 Insufficient nvidia.com/gpu.');
  });
});

describe('other pods', () => {
  const affinity = (kind: 'podAffinity' | 'podAntiAffinity', app: string, topologyKey = ZONE): object => ({
    affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }] } },
  });

  test('with affinity a pod goes where its like is, and the first of them anywhere', () => {
    const { store, run } = makeWorld();
    inZones(store, 'a', 'b');
    store.create('pods', lone('first', affinity('podAffinity', 'web'), { app: 'web' }));
    run(1, 1000);
    store.create('pods', lone('second', affinity('podAffinity', 'web'), { app: 'web' }));
    store.create('pods', lone('stranger', affinity('podAffinity', 'nobody')));
    run(1, 1000);
    expect(placed(store, 'second')).toBe(placed(store, 'first'));
    expect(refusal(store, 'stranger')).toBe("0/2 nodes are available: 2 node(s) didn't match pod affinity rules.");
  });

  test('a pod that wants its zone to itself also keeps out those that come after it', () => {
    const { store, run } = makeWorld();
    inZones(store, 'a', 'b');
    store.create('pods', lone('guard', { ...affinity('podAntiAffinity', 'web'), nodeSelector: { [ZONE]: 'a' } }));
    run(1, 1000);
    store.create('pods', lone('web', {}, { app: 'web' }));
    run(1, 1000);
    expect(placed(store, 'web')).toBe('b-1');
  });

  test('spread with DoNotSchedule counts over all zones, also full ones; a pod waits until its zone has room', () => {
    const { store, run, living } = makeWorld();
    inZones(store, 'a', 'b');
    store.create('nodes', node('small', { cpu: '1', labels: { [ZONE]: 'c' } }));
    const spec = {
      containers: [{ name: 'app', image: 'app:1', ...asks('900m') }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    };
    store.create('deployments', workload('Deployment', 'web', { replicas: 7 }, spec));
    run(3, 1000);
    const zones = (): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { spec: its } of living('web')) {
        const zone = store.get('nodes', its.nodeName ?? '')?.metadata.labels?.[ZONE] ?? 'none';
        counts[zone] = (counts[zone] ?? 0) + 1;
      }
      return counts;
    };
    expect(zones()).toEqual({ a: 2, b: 2, c: 1, none: 2 });
    store.create('nodes', node('more', { labels: { [ZONE]: 'c' } }));
    run(3, 1000);
    expect(zones()).toEqual({ a: 2, b: 2, c: 3 });
  });
});

describe('volumes', () => {
  const claimed = (claimName: string): object => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
  const volume = (name: string, change: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { capacity: { storage: '10Gi' } },
    ...change,
  });
  const claim = (name: string, volumeName?: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], ...(volumeName === undefined ? {} : { volumeName }) },
  });

  test.each([
    {
      what: 'by its node affinity',
      change: {
        spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['b'] }] }] } } },
      },
    },
    { what: 'by its label', change: { metadata: { name: 'disk', labels: { [ZONE]: 'b' } } } },
  ])('a volume holds its pod to a zone, $what', ({ change }) => {
    const { store, run } = makeWorld();
    inZones(store, 'a', 'c');
    store.create('persistentvolumes', volume('disk', change));
    store.create('persistentvolumeclaims', claim('data', 'disk'));
    store.create('pods', lone('db', claimed('data')));
    run(1, 1000);
    expect(refusal(store, 'db')).toBe('0/2 nodes are available: 2 node(s) had volume node affinity conflict.');
    store.create('nodes', node('b', { labels: { [ZONE]: 'b' } }));
    run(1, 1000);
    expect(placed(store, 'db')).toBe('b');
  });

  test('a claim that waits for its first pod holds nothing', () => {
    const { store, run } = makeWorld();
    inZones(store, 'a');
    store.create('persistentvolumeclaims', claim('data'));
    store.create('pods', lone('db', claimed('data')));
    run(1, 1000);
    expect(placed(store, 'db')).toBe('a-0');
  });

  test('a StatefulSet’s new pod has the claim of its ordinal', () => {
    const { store, run } = makeWorld();
    inZones(store, 'a');
    store.create(
      'statefulsets',
      workload('StatefulSet', 'db', { replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }),
    );
    run(1, 1000);
    expect(store.get('pods', 'db-0', 'default')?.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    ]);
  });
});

test('the more important pod goes first', () => {
  const { store, run } = makeWorld();
  store.create('nodes', node('one', { cpu: '1' }));
  const containers = [{ name: 'app', image: 'app:1', ...asks('800m') }];
  store.create('pods', lone('usual', { containers }));
  store.create('pods', lone('important', { containers, priority: 1000 }));
  run(1, 1000);
  expect([placed(store, 'usual'), placed(store, 'important')]).toEqual([undefined, 'one']);
});

test('rooms are kept between ticks: what is freed, and what joins, is used at the next one', () => {
  const { store, run, living } = makeWorld();
  store.create('nodes', node('one', { cpu: '1' }));
  const containers = [{ name: 'app', image: 'app:1', ...asks('800m') }];
  store.create('deployments', workload('Deployment', 'web', { replicas: 3 }, { containers }));
  run(2, 1000);
  const running = (): number => living('web').filter(({ spec }) => spec.nodeName).length;
  expect(running()).toBe(1);
  store.update('nodes', 'one', undefined, (copy) => void (copy.status.allocatable.cpu = '2'));
  run(1, 1000);
  expect(running()).toBe(2);
  store.update('deployments', 'web', 'default', (copy) => void (copy.spec.replicas = 1));
  run(4, 3000);
  store.create('deployments', workload('Deployment', 'other', { replicas: 1 }, { containers }));
  run(2, 1000);
  expect(living('other').map(({ spec }) => spec.nodeName)).toEqual(['one']);
});
