/** `belay retry` and `skip`: the choice of that name where a step has failed. */
import { Command } from 'commander';
import { failedGateIn } from '../../slack/upgrades/open-gate.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades } from '../context.ts';

interface Options extends CommonOptions {
  reason?: string;
}

const DOES = {
  retry: 'run the step that has failed again, from its beginning',
  skip: 'go on without the step that has failed; needs --reason',
} as const;

export function failedCommand(choice: keyof typeof DOES): Command {
  return withCommon(new Command(choice))
    .description(DOES[choice])
    .argument('<cluster>', 'name in the configuration')
    .option('-r, --reason <text>', 'why; shown in the thread')
    .action(async (cluster: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        const gate = failedGateIn(await upgrades.status(cluster), choice);
        printReply(await upgrades.decide({ cluster, ...gate, choice, ...sender, reason: options.reason }));
      });
    });
}
