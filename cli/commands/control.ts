/** `belay pause`, `resume` and `abort`. */
import { Command } from 'commander';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades } from '../context.ts';

interface Options extends CommonOptions {
  reason?: string;
}

const DOES = {
  pause: 'start no further step until the upgrade is resumed; what runs is finished',
  resume: 'go on after a pause',
  abort: 'stop before the next step and put back what was changed for the run',
} as const;

export function controlCommand(kind: keyof typeof DOES): Command {
  return withCommon(new Command(kind))
    .description(DOES[kind])
    .argument('<cluster>', 'name in the configuration')
    .option('-r, --reason <text>', 'why; shown in the thread')
    .action(async (cluster: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        printReply(await upgrades[kind]({ cluster, ...sender, reason: options.reason }));
      });
    });
}
