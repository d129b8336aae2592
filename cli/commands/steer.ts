/** What commands share that steer a run: a cluster, a reason, and who sends it. */
import { Command } from 'commander';
import type { Answer, Upgrades } from '../../client/upgrades-client.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';

interface Options extends CommonOptions {
  reason?: string;
}

export type Steering = { cluster: string; reason?: string } & Awaited<ReturnType<typeof senderOf>>;

export function steerCommand(name: string, does: string, act: (upgrades: Upgrades, request: Steering) => Promise<Answer>): Command {
  return withCommon(new Command(name))
    .description(does)
    .argument('<cluster>', 'name in the configuration')
    .option('-r, --reason <text>', 'why; shown in the thread', parseReason)
    .action(async (cluster: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        printReply(await act(upgrades, { cluster, ...sender, reason: options.reason }), config);
      });
    });
}
