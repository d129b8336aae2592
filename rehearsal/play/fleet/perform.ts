/** One rehearsal of a fleet, from its scene to its judgement. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { aborted } from '../world-only.ts';
import { untilReady } from '../drive.ts';
import { Progress } from '../progress.ts';
import { startCommand } from '../../stage/names.ts';
import type { FleetBackstage, FleetGiven, FleetScene } from './backstage.ts';
import { byHand, type FleetDriver } from './by-hand.ts';
import type { FleetReport, FleetResult } from './options.ts';
import { problemsIn } from './render.ts';
import { offerWorlds } from './world-only.ts';

export async function performFleet(given: FleetGiven, backstage: FleetBackstage, drive: FleetDriver = byHand): Promise<FleetResult> {
  const { options, say, interrupted } = given;
  const scene = await backstage.setScene();
  const { signal } = interrupted;
  if (options.worldOnly === true) {
    offerWorlds(given, scene);
    await aborted(signal);
    return { ok: true, why: '' };
  }
  backstage.startBelay(scene);
  introduce(given, scene);
  if (options.auto === 'ask') {
    if (await untilReady(scene.stage.slack, scene.watcher, signal)) say('Belay is ready: type the command.');
    await aborted(signal);
    return { ok: true, why: '' };
  }
  const progress = new Progress({ write: say, elapsedMs: () => scene.stage.clock.elapsedMs() });
  const begunAt = performance.now();
  const clusters = await drive({ scene, progress, speed: options.speed, signal });
  const report: FleetReport = { wallSeconds: Math.round((performance.now() - begunAt) / 100) / 10, clusters };
  if (options.json !== undefined) writeFileSync(resolve(options.json), `${JSON.stringify(report, null, 2)}\n`);
  const why = problemsIn(report);
  say(`\n${clusters.length} clusters in ${report.wallSeconds} s${why === '' ? ', all as they should be' : ''}.`);
  return { ok: why === '', why, report };
}

function introduce({ options, say }: FleetGiven, { members, stage, temporal, belay }: FleetScene): void {
  const accounts = new Set(members.map(({ scenario }) => scenario.cluster.account));
  say(`A fleet of ${members.length} clusters in ${accounts.size} accounts, ${options.speed}× as fast.\n`);
  say(`The channel:  ${stage.slack.pageUrl}`);
  if (temporal.ui !== undefined) say(`Temporal UI:  ${temporal.ui}`);
  if (options.auto !== 'ask') return;
  say(`Type there:   ${startCommand(members[0].scenario)}`);
  say(`From a shell: TEMPORAL_ADDRESS=${belay.temporal.address} belay status --config ${belay.configFile}`);
  say('Decide there: as Sam or Rin, top right. End with Ctrl-C.\n');
}
