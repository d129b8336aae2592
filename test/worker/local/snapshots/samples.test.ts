/** What Belay says of the sample snapshots, as whoever tries `belay forecast --snapshot rehearsal/scenarios/samples/…` reads it. */
import { expect, test } from 'vitest';
import { readSnapshotFile } from '../../../../activities/observe/snapshot/read-file.ts';
import { renderForecast } from '../../../../cli/render/forecast/text.ts';
import { forecastSnapshot } from '../../../../worker/local/snapshots/forecast.ts';
import { planSnapshot } from '../../../../worker/local/snapshots/plan-snapshot.ts';
import { sampleFile } from '../../../rehearsal/snapshot/samples.ts';

/** What blocks and what goes down, without what is said of the file's age. */
function said(text: string): string[] {
  const lines = text.split('\n');
  const section = (title: string): string[] => {
    const from = lines.indexOf(title);
    return from < 0 ? [] : lines.slice(from, lines.indexOf('', from));
  };
  return [lines[0] ?? '', lines[1] ?? '', ...section('Blocks a node'), ...section('Down for a while'), lines.at(-1) ?? ''];
}

const SMALL = `small (111122223333, eu-central-1): 1.31 → 1.32, nodes once, at the end
1 h 6 min (p90 1 h 11 min): 4 nodes replaced, no pod blocks a node, no workload goes down
Plan aa35569ffd8804cd1104737a7883af76e79e9128c11550e4eceac635ff240db7`;

const MESH = `whole (111122223333, eu-west-1): 1.33 → 1.34, nodes once, at the end
4 h 50 min (p90 5 h 2 min): 33 nodes replaced, no pod blocks a node, no workload goes down
Plan ea9e3845b0b5cd1e711ee720397e73c76aa450091a141c8c1d3d78a46d6ea9ec`;

/** What is rare is in the list and not in the count. */
const SHOP = `shop (111122223333, eu-west-1): 1.33 → 1.34, nodes once, at the end
1 h 52 min (p90 1 h 58 min): 62 nodes replaced, 2 pods block 2 nodes, 3 workloads go down for a while
Blocks a node
  ✗ internal/admin-ffmbghdkjd-4njlw (Deployment internal/admin, back-office): PodDisruptionBudget admin allows no disruption
    on ip-10-0-16-55.eu-west-1.compute.internal, in every simulation
  ✗ internal/reports-hjghlfcjd-xm4wn (Deployment internal/reports, back-office): PodDisruptionBudget reports allows no disruption
    on ip-10-0-16-57.eu-west-1.compute.internal, in every simulation
Down for a while
  ! Deployment internal/importer (back-office): 25 s (p90 28 s), as it has one replica (in every simulation)
  ! Deployment internal/mailer (back-office): 12 s (p90 22 s), as it has one replica (in every simulation)
  ! Deployment internal/webhooks (back-office): 5 s (p90 10 s), as it has one replica (in every simulation)
Plan fcdda9965f748495a3d3dbc90fdeb729ee21afb8301c6359130ae9b4f0fac301`;

test.each<[string, string, string]>([
  ['small', '1.32', SMALL],
  ['mesh', '1.34', MESH],
  ['shop', '1.34', SHOP],
])('%s to %s', async (name, target, text) => {
  const snapshot = await readSnapshotFile(sampleFile(name));
  const result = await forecastSnapshot(snapshot, { target, runs: 20, seed: 1 });
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.violations));
  expect(said(renderForecast(result.forecast)).join('\n')).toBe(text);
  expect(await planSnapshot(snapshot, { target })).toMatchObject({ kind: 'plan', plan: { hash: result.forecast.planHash } });
});
