/** A large cluster from end to end: taken over the wire, forecast, and loaded as the twin's world. How fast and in how much memory: `npm run bench -- snapshot` and `forecast`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import { objectsOf } from '../../../domain/facts/snapshot/format.ts';
import { snapshotScenario } from '../../../rehearsal/scenarios/snapshot/index.ts';
import { buildWorld } from '../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../rehearsal/world/manual-clock.ts';
import { forecastSnapshot } from '../../../worker/local/snapshots/forecast.ts';
import { type ScenarioSnapshot, snapshotOfScenario } from '../../support/snapshots.ts';

const LIMIT_MS = 45 * 60_000;
const NODES = 5_000;
const AT_MOST_BYTES = 20 * 1024 * 1024;

describe('5,000 nodes and 50,000 pods', () => {
  let taken: ScenarioSnapshot;
  beforeAll(async () => {
    taken = await snapshotOfScenario('scale-5000');
  }, LIMIT_MS);
  afterAll(() => taken?.remove());

  test('F60: all of it is in one file that can be sent', () => {
    const { snapshot } = taken;
    expect([snapshot.gaps, snapshot.lists.filter(({ outcome }) => outcome === 'unread')]).toEqual([[], []]);
    expect(objectsOf(snapshot, 'v1', 'nodes')).toHaveLength(NODES);
    expect(objectsOf(snapshot, 'v1', 'pods')?.length).toBeGreaterThan(9 * NODES);
    expect(taken.taken.bytes).toBeLessThan(AT_MOST_BYTES);
  });

  test(
    'F60: its forecast replaces every node',
    async () => {
      const made = await forecastSnapshot(taken.snapshot, { target: taken.target, runs: 1, seed: 1 });
      const forecast: Forecast | undefined = made.kind === 'forecast' ? made.forecast : undefined;
      expect(forecast?.nodesReplaced.reduce((sum, { count }) => sum + count.p50, 0)).toBe(NODES);
    },
    LIMIT_MS,
  );

  test(
    'F60: the twin has the same nodes and pods',
    () => {
      const scenario = snapshotScenario(taken.snapshot, taken.target);
      const { world } = buildWorld({ scenario, speed: 1, clock: new ManualClock({ startsAt: scenario.startsAt }) });
      for (const plural of ['nodes', 'pods'])
        expect([plural, world.store.list(plural).length]).toEqual([plural, objectsOf(taken.snapshot, 'v1', plural)?.length]);
    },
    LIMIT_MS,
  );
});
