/** One rehearsal of a fleet, from its scene to its judgement. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { aborted } from '../world-only.ts';
import { untilReady } from '../drive.ts';
import { Progress } from '../progress.ts';
import { campaignCommand } from '../stage/names.ts';
import type { FleetBackstage, FleetGiven, FleetScene } from './backstage.ts';
import { byCampaign } from './by-campaign.ts';
import type { FleetDriver } from './driver.ts';
import type { FleetReport, FleetResult } from './options.ts';
import { problemsIn } from './render.ts';
import { offerWorlds } from './world-only.ts';

export async function performFleet(given: FleetGiven, backstage: FleetBackstage, drive: FleetDriver = byCampaign): Promise<FleetResult> {
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
  const { campaign, clusters } = await drive({ scene, progress, speed: options.speed, signal });
  const report: FleetReport = { wallSeconds: Math.round((performance.now() - begunAt) / 100) / 10, campaign, clusters };
  if (options.json !== undefined) writeFileSync(resolve(options.json), `${JSON.stringify(report, null, 2)}\n`);
  const why = problemsIn(report);
  say(`\n${clusters.length} clusters in ${report.wallSeconds} s${why === '' ? ', all as they should be' : ''}.`);
  return { ok: why === '', why, report };
}

function introduce({ options, say }: FleetGiven, { members, campaign, stage, temporal, belay }: FleetScene): void {
  const accounts = new Set(members.map(({ scenario }) => scenario.cluster.account));
  say(`A fleet of ${members.length} clusters in ${accounts.size} accounts, ${options.speed}× as fast.\n`);
  say(`The channel:  ${stage.slack.pageUrl}`);
  if (temporal.ui !== undefined) say(`Temporal UI:  ${temporal.ui}`);
  const shell = (command: string): string => `TEMPORAL_ADDRESS=${belay.temporal.address} belay ${command} --config ${belay.configFile}`;
  say(`From a shell: ${shell(`campaign status ${campaign.name}`)}`);
  say(`              ${shell('fleet --html fleet.html')}\n`);
  if (options.auto !== 'ask') return;
  say(`Type there:   ${campaignCommand('start', campaign.name)}`);
  say('Decide there: as Sam or Rin, top right. In staging one control plane fails: abort that run, and its ring stops.');
  say(`Then, as Rin: ${campaignCommand('retry', campaign.name)}`);
  say('End with Ctrl-C.\n');
}
