/** `--auto ask`: people play on the page; it stays open afterwards. */
import { untilReady } from './drive.ts';
import { beginning, end } from './ending.ts';
import { startCommand, upgradeId } from './stage/names.ts';
import { followWorld } from './narrate.ts';
import type { RehearsalResult } from './options.ts';
import type { Play } from './play.ts';
import { until } from './watch.ts';

/** Resolves when people end it, with the last upgrade's result. */
export async function ask(play: Play): Promise<RehearsalResult> {
  const { scenario, stage, watcher, say, signal } = play;
  const workflowId = upgradeId(scenario.cluster);
  say(`Type there:   ${startCommand(scenario)}`);
  say(`From a shell: TEMPORAL_ADDRESS=${watcher.address} belay status ${scenario.cluster.name} --config ${play.configPath}`);
  say('Decide there: as Sam or Rin, top right; what happens is told here as it goes. End with Ctrl-C.\n');
  if (await untilReady(stage.slack, watcher, signal)) play.progress.line('Belay is ready: type the command.');
  let result: RehearsalResult | undefined;
  while (!signal.aborted) {
    const since = new Date();
    try {
      await until(async () => (await watcher.look(workflowId, since)) !== undefined, { limitMs: Number.POSITIVE_INFINITY, signal });
      const startedAt = beginning(play);
      await watcher.untilClosed(workflowId, since, signal);
      result = await end(play, since, startedAt);
      followWorld(stage, play.progress);
      say('The page and Temporal UI stay open, and the cluster is as the run left it; end with Ctrl-C.');
    } catch (error) {
      if (signal.aborted && result !== undefined) return result;
      throw error;
    }
  }
  return result ?? { ok: false, why: 'The rehearsal was ended before an upgrade was.' };
}
