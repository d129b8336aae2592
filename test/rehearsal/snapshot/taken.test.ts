/** Snapshots as `belay snapshot` takes them over the wire: from a world, into a world, and out of it again. */
import { expect, test } from 'vitest';
import type { Snapshot, SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { findScenario } from '../../../rehearsal/scenarios/index.ts';
import { snapshotScenario } from '../../../rehearsal/scenarios/snapshot/index.ts';
import { snapshotOfScenario } from '../../support/snapshots.ts';
import { load } from './play.ts';

/** EKS looks anew each time it is asked, and volumes of the region are not a cluster's. */
const OPERATIONS = new Set(['DescribeInsightsRefresh', 'StartInsightsRefresh', 'ListInsights', 'DescribeVolumes']);
/** When EKS looked, and when it last came to another answer. */
const TIMES = new Set(['lastRefreshTime', 'lastTransitionTime', 'LastModifiedDate']);
/** Definitions of types that were served without one. */
const DEFINITIONS = 'apiextensions.k8s.io/v1 customresourcedefinitions';

async function taken(...from: Parameters<typeof snapshotOfScenario>): Promise<Snapshot> {
  const { snapshot, remove } = await snapshotOfScenario(...from);
  remove();
  return snapshot;
}

const byName = (a: SnapshotKubeObject, b: SnapshotKubeObject): number =>
  `${a.metadata.namespace}/${a.metadata.name}`.localeCompare(`${b.metadata.namespace}/${b.metadata.name}`);

function objectsOf({ objects }: Snapshot, but: Snapshot): Record<string, SnapshotKubeObject[]> {
  const known = new Set((but.objects.get(DEFINITIONS) ?? []).map(({ metadata }) => metadata.name));
  return Object.fromEntries(
    [...objects].map(([key, list]) => [
      key,
      list.filter(({ metadata }) => key !== DEFINITIONS || known.has(metadata.name)).toSorted(byName),
    ]),
  );
}

const callsOf = ({ calls }: Snapshot): string[] =>
  calls
    .filter(({ operation }) => !OPERATIONS.has(operation))
    .map((call) => JSON.stringify(call, (key, value: unknown) => (TIMES.has(key) ? undefined : value)))
    .toSorted();

test.each(['small', 'whole', 'fargate'])(
  'F61: %s, taken over the wire, loaded and taken again, is the same but for times',
  async (name) => {
    const { to } = findScenario(name);
    const first = await taken(name);
    const second = await taken(snapshotScenario(first, to));
    expect(objectsOf(second, first)).toEqual(objectsOf(first, first));
    expect(callsOf(second)).toEqual(callsOf(first));
    expect(second.gaps).toEqual(first.gaps);
  },
  180_000,
);

test('a cluster full of problems keeps them: role, key, webhooks, budgets, old objects', async () => {
  const { to } = findScenario('readiness');
  const first = await taken('readiness');
  const second = await taken(snapshotScenario(first, to));
  expect(objectsOf(second, first)).toEqual(objectsOf(first, first));
  const { limits, world } = load(first, to);
  expect(world.eks.cluster).toMatchObject({ roleGone: true, keyState: 'PendingDeletion' });
  expect(limits).toEqual(expect.arrayContaining([expect.stringContaining('nobody-behind'), expect.stringContaining('cert-manager.io')]));
}, 180_000);
