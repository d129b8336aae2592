/** Which nodes Karpenter launches for pending pods where a cluster was loaded. */
import { beforeAll, expect, test } from 'vitest';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { load } from '../snapshot/play.ts';
import { sampleFile } from '../snapshot/samples.ts';

const ZONE = 'topology.kubernetes.io/zone';

let sample: Snapshot;
beforeAll(async () => void (sample = await readSnapshotFile(sampleFile('shop'))));

function shop(change: (snapshot: Snapshot) => void = () => undefined): BuiltWorld {
  const snapshot = structuredClone(sample);
  change(snapshot);
  return load(snapshot, '1.34');
}

/** Pods that no node there is has room for: each takes most of one. */
function addBatch(twin: BuiltWorld, replicas: number, spec: Record<string, unknown> = {}, cpu = '3'): void {
  const labels = { app: 'batch' };
  twin.world.store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'batch', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'batch', image: 'batch:1', resources: { requests: { cpu } } }], ...spec },
      },
    },
  });
}

const launched = (twin: BuiltWorld, before: ReadonlySet<string>): KubeObject[] =>
  twin.world.store.list('nodeclaims').filter(({ metadata }) => !before.has(metadata.name));
const names = (twin: BuiltWorld): Set<string> => new Set(twin.world.store.list('nodeclaims').map(({ metadata }) => metadata.name));
const pending = (twin: BuiltWorld): number =>
  twin.world.store.list('pods', { labels: { app: 'batch' } }).filter(({ spec }) => spec?.nodeName === undefined).length;
const GENERAL = { nodeSelector: { 'karpenter.sh/nodepool': 'general' } };

test('as many nodes as the pods need, at once, and no more', () => {
  const twin = shop();
  const before = names(twin);
  // Two of them share a node of four cores, as its DaemonSets leave room for no third.
  addBatch(twin, 6, { ...GENERAL, affinity: apart('kubernetes.io/hostname') }, '1500m');
  const room = twin.world.store.list('nodes').length;
  twin.step(180_000);
  expect(pending(twin)).toBe(0);
  expect(launched(twin, before).length).toBeLessThanOrEqual(6);
  expect(twin.world.store.list('nodes').length - room).toBe(launched(twin, before).length);
});

function apart(topologyKey: string): object {
  return {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app: 'batch' } } }],
    },
  };
}

test('new nodes have the labels that the pod selects, and go to the zone with the fewest', () => {
  const twin = shop();
  const before = names(twin);
  addBatch(twin, 3, { nodeSelector: { 'karpenter.sh/nodepool': 'general', [ZONE]: 'eu-west-1b' } }, '3500m');
  twin.step(180_000);
  const zones = launched(twin, before).map(({ metadata }) => metadata.labels?.[ZONE]);
  expect(zones).toEqual(['eu-west-1b', 'eu-west-1b', 'eu-west-1b']);
  expect(pending(twin)).toBe(0);
});

test('no pool goes beyond its limits', () => {
  const twin = shop();
  const before = names(twin);
  // Ten nodes of four cores, two of them empty, and a limit of 44: one more.
  addBatch(twin, 4, { nodeSelector: { 'karpenter.sh/nodepool': 'data' } }, '3500m');
  twin.step(300_000);
  expect(launched(twin, before)).toHaveLength(1);
  expect(pending(twin)).toBe(1);
});

test('a taint of the pool keeps out what does not tolerate it, and is on the nodes of what does', () => {
  const taints = [{ key: 'team', value: 'batch', effect: 'NoSchedule' }];
  const tainted = (snapshot: Snapshot): void => {
    for (const pool of snapshot.objects.get('karpenter.sh/v1 nodepools') ?? [])
      if (pool.metadata.name === 'general') Object.assign(Object(pool['spec']).template.spec, { taints });
  };
  const refused = shop(tainted);
  const before = names(refused);
  addBatch(refused, 1, GENERAL, '3500m');
  refused.step(120_000);
  expect(launched(refused, before)).toEqual([]);

  const tolerated = shop(tainted);
  addBatch(tolerated, 1, { ...GENERAL, tolerations: [{ key: 'team', operator: 'Exists' }] }, '3500m');
  tolerated.step(180_000);
  const [claim] = launched(tolerated, before);
  expect(tolerated.world.store.get('nodes', String(claim?.status.nodeName))?.spec.taints).toEqual(taints);
  expect(pending(tolerated)).toBe(0);
});

test('a pod whose volume is in a zone gets a node there', () => {
  const twin = shop();
  const { store } = twin.world;
  const before = names(twin);
  const terms = [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['eu-west-1c'] }] }];
  store.create('persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
  });
  store.create('persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'disk', namespace: 'default' },
    spec: { volumeName: 'disk' },
  });
  addBatch(twin, 1, { ...GENERAL, volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }] }, '3500m');
  twin.step(180_000);
  expect(launched(twin, before).map(({ metadata }) => metadata.labels?.[ZONE])).toEqual(['eu-west-1c']);
  expect(pending(twin)).toBe(0);
});
