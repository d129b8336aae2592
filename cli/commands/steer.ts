/** What commands share that steer a run: a cluster, a reason, and who sends it. */
import { Command } from 'commander';
import type { Answer, Upgrades } from '../../client/upgrades-client.ts';
import { withQuestion, type YesOptions } from '../shared/confirm.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';

interface Options extends CommonOptions, YesOptions {
  reason?: string;
}

export type Steering = { cluster: string; reason?: string } & Awaited<ReturnType<typeof senderOf>>;

/** `asks`: once, on a terminal, before it acts. */
export function steerCommand(
  name: string,
  { does, asks }: { does: string; asks: boolean },
  act: (upgrades: Upgrades, request: Steering, options: YesOptions) => Promise<Answer>,
): Command {
  const command = withCommon(new Command(name));
  return (asks ? withQuestion(command) : command)
    .description(does)
    .argument('<cluster>', 'name in belay.yaml')
    .option('-r, --reason <text>', 'why; shown in the thread', parseReason)
    .action(async (cluster: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        printReply(await act(upgrades, { cluster, ...sender, reason: options.reason }, options), config);
      });
    });
}
