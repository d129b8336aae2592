/** What a rehearsal on a real API server says of its budgets: their own figures count, not those that could be counted from a part of the objects. */
import { beforeAll, expect, test } from 'vitest';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { KubeObject, ObjectStore } from '../../../rehearsal/kubernetes/store.ts';
import { fidelityOf } from '../../../rehearsal/scenarios/snapshot/fidelity.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { load } from './play.ts';
import { sampleFile } from './samples.ts';

let snapshot: Snapshot;
beforeAll(async () => void (snapshot = await readSnapshotFile(sampleFile('shop'))));

/** As the mirror of a real API server has them: no ReplicaSets. */
function followed(world: World, change: (budget: KubeObject) => KubeObject = (budget) => budget): World {
  const { store } = world;
  const get = (plural: string, name: string, namespace?: string): KubeObject | undefined => {
    const found = plural === 'replicasets' ? undefined : store.get(plural, name, namespace);
    return plural === 'poddisruptionbudgets' && found !== undefined ? change(found) : found;
  };
  const mirror: ObjectStore = Object.create(store, {
    get: { value: get },
    list: { value: (...args: Parameters<ObjectStore['list']>) => store.list(...args) },
  });
  return { ...world, store: mirror };
}

const withStatus =
  (name: string, status: object | undefined) =>
  (budget: KubeObject): KubeObject =>
    budget.metadata.name === name ? { ...budget, status } : budget;

test('a real cluster that counts as the recorded one did has nothing to be named', () => {
  const { world } = load(snapshot, '1.34');
  const mirrored = followed(world);
  expect(fidelityOf({ ...mirrored, realParts: true }, snapshot)).toEqual([]);
  // It bites: whoever counts without ReplicaSets comes to other figures.
  expect(fidelityOf(mirrored, snapshot).length).toBeGreaterThan(10);
});

test('figures of the real cluster that differ are its own, and one that has not counted is unknown', () => {
  const { world } = load(snapshot, '1.34');
  const limits = (status: object | undefined): string[] =>
    fidelityOf({ ...followed(world, withStatus('checkout', status)), realParts: true }, snapshot);
  const same = { currentHealthy: 9, desiredHealthy: 8, expectedPods: 9 };
  expect(limits({ ...same, disruptionsAllowed: 0, currentHealthy: 8 })).toEqual([
    "PodDisruptionBudget shop/checkout: the cluster had disruptionsAllowed 1, the real cluster has 0; currentHealthy 9, the real cluster has 8. The rehearsal goes on with the real cluster's figures.",
  ]);
  expect(limits(undefined)).toEqual([expect.stringContaining('disruptionsAllowed 1, the real cluster has not counted yet; ')]);
});
