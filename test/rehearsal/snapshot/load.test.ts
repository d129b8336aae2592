/** A snapshot as a world: what is adopted, what is missing, what is said about it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import { listKey, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { RefusedSnapshot, snapshotScenario } from '../../../rehearsal/scenarios/snapshot/index.ts';
import { isReady } from '../../../rehearsal/kubernetes/pods/pods.ts';
import { load, playOut } from './play.ts';
import { sampleFile } from './samples.ts';

let whole: Snapshot;
beforeAll(async () => void (whole = await readSnapshotFile(sampleFile('small'))));
const small = (): Snapshot => structuredClone(whole);
const TO = '1.32';
const PODS = listKey('v1', 'pods');
const SETS = listKey('apps/v1', 'replicasets');
const BUDGETS = listKey('policy/v1', 'poddisruptionbudgets');

/** One thing is changed of a healthy cluster's snapshot. */
function but(change: (snapshot: Snapshot) => void): Snapshot {
  const snapshot = small();
  change(snapshot);
  return snapshot;
}
const objects = (snapshot: Snapshot, key: string): SnapshotKubeObject[] => snapshot.objects.get(key) ?? [];
const unread = (snapshot: Snapshot, apiVersion: string, plural: string): void => {
  snapshot.objects.delete(listKey(apiVersion, plural));
  snapshot.lists = snapshot.lists.map((list) =>
    list.plural === plural ? { kind: 'list', apiVersion, plural, outcome: 'unread', why: 'forbidden', denied: true } : list,
  );
};

describe('the world', () => {
  test('begins when the snapshot was taken, with its ids and times', () => {
    const snapshot = small();
    const { world } = load(snapshot, TO);
    expect(world.clock.now().toISOString()).toBe(snapshot.header.takenAt);
    const [pod] = objects(snapshot, PODS);
    const loaded = world.store.get('pods', pod?.metadata.name ?? '', pod?.metadata.namespace);
    expect(loaded?.metadata).toMatchObject({ uid: pod?.metadata.uid, creationTimestamp: pod?.metadata.creationTimestamp });
  });

  test('takes its times from the snapshot: by NodePool, by workload, the medians elsewhere', () => {
    const { world } = load(small(), TO);
    expect(world.tempo.pools?.['default']?.nodeLaunchMs).toBeGreaterThanOrEqual(46_000);
    expect(world.tempo.pools?.['default']?.nodeLaunchMs).toBeLessThan(58_000);
    expect(world.tempo.workloads?.['Deployment shop/web']?.podStartMs).toBeGreaterThanOrEqual(5_000);
    expect(world.tempo.nodeLaunchMs).toBe(world.tempo.pools?.['default']?.nodeLaunchMs);
  });

  test('new nodes are of the instance types that the pool has', () => {
    const snapshot = but((one) => {
      for (const node of objects(one, listKey('v1', 'nodes')))
        if (node.metadata.labels?.['karpenter.sh/nodepool'] === 'default') {
          node.metadata.labels = { ...node.metadata.labels, 'node.kubernetes.io/instance-type': 'r7i.2xlarge' };
          Object.assign(node['status'] ?? {}, {
            capacity: { cpu: '8', memory: '64Gi', pods: '58' },
            allocatable: { cpu: '7910m', memory: '62Gi', pods: '58' },
          });
        }
    });
    const twin = load(snapshot, TO);
    const { old } = playOut(twin, TO);
    expect(old).toEqual([]);
    const types = twin.world.store
      .list('nodes', { labels: { 'karpenter.sh/nodepool': 'default' } })
      .map(({ metadata, status }) => [metadata.labels?.['node.kubernetes.io/instance-type'], status.capacity.cpu]);
    expect(types).toEqual(types.map(() => ['r7i.2xlarge', '8']));
  });

  test('labels of ReplicaSets that the twin would not have made are adopted, and a change of the template makes a new one', () => {
    const twin = load(
      but((one) => {
        for (const key of [SETS, PODS])
          for (const { metadata } of objects(one, key))
            if (metadata.labels?.['pod-template-hash'] !== undefined)
              metadata.labels = { ...metadata.labels, 'pod-template-hash': '7c9f8b6d5' };
      }),
      TO,
    );
    const sets = (): string[] => twin.world.store.list('replicasets', { namespace: 'shop' }).map(({ metadata }) => metadata.name);
    const before = sets();
    twin.step(300_000);
    expect(sets()).toEqual(before);
    twin.world.store.update(
      'deployments',
      'web',
      'shop',
      (copy) => void (copy.spec.template.spec.containers[0].image = 'registry.example.com/shop/web:2'),
    );
    twin.step(300_000);
    expect(sets()).toHaveLength(before.length + 1);
  });

  test('what Helm installed is changed by people, as belay.yaml of the rehearsal says; Argo CD by its mark', async () => {
    const { managedBy, istio } = snapshotScenario(await readSnapshotFile(sampleFile('mesh')), '1.34');
    expect({ managedBy, istio }).toEqual({ managedBy: { karpenter: 'argocd', istio: 'manual' }, istio: { moveBy: 'label' } });
  });

  test('a generation counts changes of a spec, not of a status, and defaults are there before anybody changes something', () => {
    const twin = load(small(), TO);
    const classes = (): (number | undefined)[] => twin.world.store.list('ec2nodeclasses').map(({ metadata }) => metadata.generation);
    const before = classes();
    twin.step(600_000);
    expect(classes()).toEqual(before);
    const web = twin.world.store.get('deployments', 'web', 'shop');
    expect(web?.spec.template.spec).toMatchObject({
      dnsPolicy: 'ClusterFirst',
      containers: [{ terminationMessagePath: '/dev/termination-log' }],
    });
  });

  test('F59: three hundred definitions that nobody knows are served, with nothing in them', () => {
    const definitions = Array.from({ length: 300 }, (_, index): SnapshotKubeObject => definition(`things-${index}`));
    const { world, limits } = load(
      but((one) => objects(one, DEFINITIONS).push(...definitions)),
      TO,
    );
    expect(world.store.list('things-299.operators.example.com')).toEqual([]);
    expect(limits).toContain(
      'Controllers of these API groups do nothing here, and their objects are only those in the snapshot: operators.example.com.',
    );
  });

  test('F55: a pod whose ReplicaSet was not read is kept, and named', () => {
    const snapshot = but((one) =>
      one.objects.set(
        SETS,
        objects(one, SETS).filter(({ metadata }) => !metadata.name.startsWith('web-')),
      ),
    );
    const { world, limits } = load(snapshot, TO);
    const kept = world.store.list('pods', { labels: { app: 'web' } });
    expect(kept).toHaveLength(3);
    expect(limits.find((limit) => limit.startsWith('Nothing creates these pods again'))).toContain(`shop/${kept[0]?.metadata.name}`);
  });

  test('without the right to read ReplicaSets no Deployment makes its pods a second time', () => {
    const twin = load(
      but((one) => unread(one, 'apps/v1', 'replicasets')),
      TO,
    );
    const before = twin.world.store.list('pods').map(({ metadata }) => metadata.uid);
    twin.step(600_000);
    expect(twin.world.store.list('pods').map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(twin.limits).toContain(
      'Not in the snapshot: replicasets (apps/v1): forbidden. The twin has none of them; those of running pods are rebuilt from their Deployments.',
    );
  });

  test('an object whose definition was not read is served all the same', () => {
    const twin = load(
      but((one) => unread(one, 'apiextensions.k8s.io/v1', 'customresourcedefinitions')),
      TO,
    );
    const before = twin.world.store.list('pods').filter(isReady).length;
    twin.step(120_000);
    expect(twin.world.store.list('nodepools')).toHaveLength(1);
    // Karpenter among them: without its definitions it would crash.
    expect(twin.world.store.list('pods').filter(isReady)).toHaveLength(before);
  });
});

describe('limits', () => {
  test('a healthy cluster has only those of every rehearsal', () => {
    expect(load(small(), TO).limits).toEqual([
      expect.stringMatching(/^The scheduler honours /),
      expect.stringMatching(/^Karpenter replaces nodes for drift /),
      expect.stringMatching(/^Containers start and end; /),
    ]);
  });

  test('F58: a budget whose recorded figures the twin does not come to', () => {
    const { limits } = load(
      but((one) => {
        for (const budget of objects(one, BUDGETS))
          if (budget.metadata.name === 'cart') budget['status'] = { ...Object(budget['status']), disruptionsAllowed: 0, currentHealthy: 1 };
      }),
      TO,
    );
    expect(limits.at(-1)).toBe(
      "PodDisruptionBudget shop/cart: the cluster had disruptionsAllowed 0, the twin has 1; currentHealthy 1, the twin has 2. The rehearsal goes on with the twin's figures.",
    );
  });

  test('F53: budgets that could not be read are named with what that hides', () => {
    const { limits } = load(
      but((one) => unread(one, 'policy/v1', 'poddisruptionbudgets')),
      TO,
    );
    expect(limits[0]).toBe(
      'Not in the snapshot: poddisruptionbudgets (policy/v1): forbidden. The twin has none of them, so no drain is held that they would hold.',
    );
  });

  test.each([
    {
      what: 'webhooks of others',
      key: listKey('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'),
      object: object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', { name: 'kyverno-policies' }),
      says: 'These webhook configurations neither refuse nor change anything here: kyverno-policies.',
    },
    {
      what: 'data on a node',
      key: listKey('v1', 'persistentvolumes'),
      object: { ...object('v1', 'PersistentVolume', { name: 'scratch' }), spec: { local: {} } },
      says: 'Data on local volumes is not lost here when their nodes go: scratch.',
    },
    {
      what: 'programs that watch nodes',
      key: listKey('apps/v1', 'deployments'),
      object: {
        ...object('apps/v1', 'Deployment', { name: 'cluster-autoscaler', namespace: 'kube-system' }),
        spec: { replicas: 0, template: { spec: {} } },
      },
      says: 'What acts when nodes come and go does nothing here: kube-system/cluster-autoscaler.',
    },
    {
      what: 'Jobs',
      key: listKey('batch/v1', 'cronjobs'),
      object: object('batch/v1', 'CronJob', { name: 'report', namespace: 'shop' }),
      says: 'Jobs and CronJobs start no pods here, and pods of theirs that are evicted do not come back: shop/report.',
    },
    {
      what: 'autoscalers',
      key: listKey('autoscaling/v2', 'horizontalpodautoscalers'),
      object: object('autoscaling/v2', 'HorizontalPodAutoscaler', { name: 'web', namespace: 'shop' }),
      says: 'HorizontalPodAutoscalers do not scale here: shop/web.',
    },
  ])('$what', ({ key, object: more, says }) => {
    const snapshot = but((one) => {
      one.objects.set(key, [...objects(one, key), more]);
      const [apiVersion = '', plural = ''] = key.split(' ');
      if (!one.lists.some((list) => list.apiVersion === apiVersion && list.plural === plural))
        one.lists.push({ kind: 'list', apiVersion, plural, outcome: 'read', count: 1 });
    });
    expect(load(snapshot, TO).limits).toContain(says);
  });
});

describe('a target that cannot be played', () => {
  test.each([
    ['1.31', '--target 1.31 is not newer than 1.31, which the cluster of the snapshot runs'],
    ['1.30', '--target 1.30 is not newer than 1.31, which the cluster of the snapshot runs'],
    ['next', '--target next is not a Kubernetes version. Write it as 1.34'],
    ['1.99', '--target 1.99 cannot be rehearsed. The twin knows Kubernetes 1.28 to 1.35'],
  ])('%s', (target, message) => {
    expect(() => snapshotScenario(small(), target)).toThrow(new RefusedSnapshot(message));
  });

  test('a snapshot without an answer of EKS', () => {
    const snapshot = but((one) => void (one.calls = []));
    expect(() => snapshotScenario(snapshot, TO)).toThrow(
      'The snapshot has no answer of EKS about its cluster, so it cannot be rehearsed: take it with belay snapshot CLUSTER',
    );
  });
});

const DEFINITIONS = listKey('apiextensions.k8s.io/v1', 'customresourcedefinitions');

function object(apiVersion: string, kind: string, metadata: { name: string; namespace?: string }): SnapshotKubeObject {
  return { apiVersion, kind, metadata: { ...metadata, uid: `uid-${kind}-${metadata.name}`, creationTimestamp: '2025-01-01T00:00:00Z' } };
}

function definition(plural: string): SnapshotKubeObject {
  return {
    ...object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { name: `${plural}.operators.example.com` }),
    spec: {
      group: 'operators.example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  };
}
