/** Campaigns whose runs are played: what `npm run bench -- fleet` measures, held to its limits, calm and with its processes killed. */
import { expect, test } from 'vitest';
import { MOST_EVENTS, MOST_MB, SHORTEST_BETWEEN_EDITS_SECONDS } from '../../bench/fleet/main.ts';
import { measureCampaign } from '../../bench/fleet/measure.ts';
import { PATIENCE } from '../../support/eventually.ts';
import { processesOf } from '../../support/processes.ts';

test('F30: a thousand clusters in twenty rings come to where they have to, in histories that stay short, and of board and rings one is edited every ten seconds at most', async () => {
  const costs = await measureCampaign({ clusters: 1_000, rings: 20, parallel: 50, runMs: 1_000 });
  expect(costs.longestHistory).toBeLessThan(MOST_EVENTS);
  expect(costs.runsOfCampaign).toBeGreaterThan(1);
  expect(costs.edits).toBeGreaterThan(1);
  expect(costs.shortestBetweenEditsSeconds).toBeGreaterThanOrEqual(SHORTEST_BETWEEN_EDITS_SECONDS);
  expect(costs.peakMb).toBeLessThan(MOST_MB);
}, 2_700_000);

test(
  'F26 F27: with the worker killed every five seconds and between a start and its record, and Temporal once, every cluster is started once, comes to where it has to, and nothing is edited more often',
  async () => {
    const costs = await measureCampaign(
      { clusters: 40, rings: 4, parallel: 5, runMs: 1_000 },
      { killEachMs: 5_000, temporalRestarts: 1, limitMs: 300_000 },
    );
    expect(costs).toMatchObject({ clusters: 40, restarts: 1 });
    expect(costs.kills).toBeGreaterThan(1);
    // The failing run of the third ring had ended before its start was known.
    expect(costs.startsAskedAgain).toBeGreaterThan(0);
    expect(costs.longestHistory).toBeLessThan(MOST_EVENTS);
    expect(costs.shortestBetweenEditsSeconds).toBeGreaterThanOrEqual(SHORTEST_BETWEEN_EDITS_SECONDS);
    expect(costs.peakMb).toBeLessThan(MOST_MB);
    expect(processesOf(new URL('../../bench/fleet/worker.ts', import.meta.url).pathname)).toEqual([]);
  },
  400_000 * PATIENCE,
);
