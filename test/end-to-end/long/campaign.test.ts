/** One campaign over a thousand clusters, whose runs are played: what `npm run bench -- fleet` measures, held to its limits. */
import { expect, test } from '@jest/globals';
import { measureCampaign } from '../../bench/fleet/main.ts';

/** The runs of one campaign's workflow: Temporal warns from 10,240 events on. */
const MOST_EVENTS = 4_096;

test('F30: a thousand clusters in twenty rings come to where they have to, in histories that stay short, and of board and rings one is edited every ten seconds at most', async () => {
  const costs = await measureCampaign({ clusters: 1_000, rings: 20, parallel: 50, runMs: 1_000 });
  expect(costs.longestHistory).toBeLessThan(MOST_EVENTS);
  expect(costs.runsOfCampaign).toBeGreaterThan(1);
  expect(costs.edits).toBeGreaterThan(1);
  expect(costs.shortestBetweenEditsSeconds).toBeGreaterThanOrEqual(10);
}, 900_000);
