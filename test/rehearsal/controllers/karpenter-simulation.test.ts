/** When the twin's Karpenter replaces a drifted node of a loaded cluster, and with what: as it does once it has tried where the pods would go. */
import { beforeAll, expect, test } from 'vitest';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { load } from '../snapshot/play.ts';
import { sampleFile } from '../snapshot/samples.ts';

const POOL = 'karpenter.sh/nodepool';
const STEP_MS = 10_000;
const TO = { mesh: '1.34', small: '1.32' };

const samples: Record<string, Snapshot> = {};
beforeAll(async () => {
  for (const name of ['mesh', 'small']) samples[name] = await readSnapshotFile(sampleFile(name));
});

/** Its budgets would let every node go at once. */
function unbounded(name: 'mesh' | 'small', change: (pool: KubeObject) => void = () => undefined): BuiltWorld {
  const snapshot = structuredClone(samples[name]);
  if (snapshot === undefined) throw new Error(name);
  const twin = load(snapshot, TO[name]);
  for (const pool of twin.world.store.list('nodepools'))
    twin.world.store.update('nodepools', pool.metadata.name, undefined, (copy) => {
      copy.spec.disruption = { ...copy.spec.disruption, budgets: [{ nodes: '100%' }] };
      change(copy);
    });
  return twin;
}

const own = ({ world }: BuiltWorld): KubeObject[] =>
  world.store.list('nodes').filter(({ metadata }) => metadata.labels?.[POOL] !== undefined);
const going = (twin: BuiltWorld): number =>
  own(twin).filter(({ spec }) => spec?.taints?.some(({ key }: { key: string }) => key === 'karpenter.sh/disrupted')).length;

/** To the next minor, as long as it takes; the most nodes that were going at once, and how many were launched. */
function rolled(twin: BuiltWorld, to: string, minutes: number): { most: number; launched: number } {
  const { store, eks } = twin.world;
  const before = new Set(store.list('nodeclaims').map(({ metadata }) => metadata.name));
  const launched = new Set<string>();
  eks.cluster.version = to;
  let most = 0;
  for (let ms = 0; ms < minutes * 60_000; ms += STEP_MS) {
    twin.step(STEP_MS);
    most = Math.max(most, going(twin));
    for (const { metadata } of store.list('nodeclaims')) if (!before.has(metadata.name)) launched.add(metadata.name);
  }
  return { most, launched: launched.size };
}

const said = ({ world }: BuiltWorld, reason: string): string[] =>
  world.store
    .list('events')
    .flatMap((event) => (event['reason'] === reason && event['involvedObject'].kind === 'Node' ? [event['message']] : []));

test('a node whose pods would fit on one that is coming waits for it, whatever the budget, and says so', () => {
  const twin = unbounded('mesh');
  const count = own(twin).length;
  const { most } = rolled(twin, TO.mesh, 60);
  expect(count).toBe(30);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan((count * 2) / 3);
  expect(said(twin, 'DisruptionBlocked')).toContainEqual(
    expect.stringMatching(/^Not all pods would schedule, \S+\/\S+ => would schedule against uninitialized nodeclaim\/\S+/),
  );
  expect(own(twin).filter(({ status }) => !status?.nodeInfo.kubeletVersion.startsWith('v1.34'))).toEqual([]);
});

test('a node whose pods have room elsewhere goes without a new one', () => {
  const twin = unbounded('small');
  const { launched } = rolled(twin, TO.small, 30);
  expect({ left: own(twin).length, launched }).toEqual({ left: 0, launched: 0 });
  expect(twin.world.store.list('pods').filter(({ status }) => status?.phase !== 'Running')).toEqual([]);
});

test('a node whose pods have room nowhere stays, and says so: here no pool may launch anything', () => {
  const twin = unbounded('mesh', (pool) => void (pool.spec.limits = { cpu: '1' }));
  const before = own(twin).map(({ metadata }) => metadata.name);
  rolled(twin, TO.mesh, 15);
  const after = new Set(own(twin).map(({ metadata }) => metadata.name));
  expect(before.filter((name) => after.has(name)).length).toBeGreaterThan(before.length / 2);
  expect(said(twin, 'DisruptionBlocked')).toContainEqual(
    expect.stringMatching(/no instance type has enough resources|is beyond its limit/),
  );
});
