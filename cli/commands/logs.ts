/** `belay logs`: what a run has told in its Slack thread, for who has no Slack, from Temporal's history. */
import { Command } from 'commander';
import {
  type CommonOptions,
  type FormatOptions,
  print,
  readConfig,
  say,
  stoppable,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { followsAgain, nothingTold, timesAre } from '../messages/threads.ts';
import { ThreadText, threadJson } from '../render/thread/thread.ts';
import { defined } from '../../domain/core/defined.ts';

interface Options extends CommonOptions, FormatOptions {
  run?: string;
  follow?: boolean;
}

export function logsCommand(): Command {
  return withFormat(withCommon(new Command('logs')))
    .description('show the messages of an upgrade, in order, as in its Slack thread; needs neither Slack nor a worker')
    .argument('<cluster>', 'name in belay.yaml')
    .option('--run <id>', 'run id, as shown by Temporal UI and "belay audit" (default: the newest run)')
    .option('-f, --follow', 'follow until the run ends; Ctrl-C stops')
    .action(async (cluster: string, { format, run, follow = false, ...options }: Options) => {
      const config = readConfig(options);
      const text = new ThreadText({ cluster });
      if (format === 'text') say(timesAre(Intl.DateTimeFormat().resolvedOptions().timeZone));
      await withUpgrades(config, async (_upgrades, _campaigns, connected) => {
        const tell = async (signal: AbortSignal): Promise<void> => {
          let isEmpty = true;
          const thread = connected.thread(cluster, {
            follow,
            signal,
            trouble: (why) => say(followsAgain(why)),
            ...defined({ runId: run }),
          });
          for await (const told of thread) {
            isEmpty = false;
            const lines = format === 'json' ? threadJson(told) : text.lines(told);
            if (lines !== undefined) print(lines);
          }
          if (isEmpty && !signal.aborted) say(nothingTold(cluster));
        };
        await stoppable(tell, { follows: follow });
      });
    });
}
