/** The sample snapshots: fresh, and each played whole. */
import { describe, expect, test } from 'vitest';
import { readFileSync, statSync } from 'node:fs';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import { controllerOf } from '../../../rehearsal/kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { fileOf } from './write.ts';
import { load, playOut } from './play.ts';
import { SAMPLES } from './sample-worlds.ts';
import { sampleFile, sampleOf } from './samples.ts';

const LARGEST = 200_000;
const NAMES = Object.keys(SAMPLES);

test.each(NAMES)('%s is as its world makes it: else run node --no-warnings test/rehearsal/snapshot/samples.ts', async (name) => {
  const scenario = SAMPLES[name];
  if (scenario === undefined) throw new Error(name);
  expect(statSync(sampleFile(name)).size).toBeLessThan(LARGEST);
  expect(readFileSync(sampleFile(name)).equals(fileOf(await sampleOf(scenario)))).toBe(true);
});

describe('each is played whole', () => {
  test.each([
    { name: 'small', to: '1.32', nodes: 4, blocked: [] },
    { name: 'mesh', to: '1.34', nodes: 33, blocked: [] },
    { name: 'shop', to: '1.34', nodes: 63, blocked: ['internal/admin', 'internal/reports'] },
  ])('$name', async ({ name, to, nodes, blocked }) => {
    const twin = load(await readSnapshotFile(sampleFile(name)), to);
    expect(twin.world.store.list('nodes')).toHaveLength(nodes);
    // An empty node goes without a successor, and its DaemonSets' pods with it.
    const own = (): KubeObject[] => twin.world.store.list('pods').filter((pod) => controllerOf(pod)?.kind !== 'DaemonSet');
    const before = own().length;
    const { old, minutes } = playOut(twin, to);
    const held = old.flatMap((node) =>
      twin.world.store
        .podsOn(node)
        .filter(({ metadata }) => metadata.namespace === 'internal')
        .map(({ metadata }) => `${metadata.namespace}/${metadata.labels?.['app']}`),
    );
    expect({ old: old.length, held: [...new Set(held)].toSorted() }).toEqual({ old: blocked.length, held: blocked });
    expect(minutes).toBeGreaterThan(10);
    // Pods that found their room taken wait for a node.
    twin.step(300_000);
    // Nobody is lost on the way, and nobody came twice.
    const pods = twin.world.store.list('pods');
    expect(pods.filter(({ spec, status }) => spec?.nodeName === undefined || status?.phase !== 'Running')).toEqual([]);
    expect(own().length).toBe(before);
  });
});
