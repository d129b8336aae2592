/** `belay pace`: how fast Karpenter replaces its nodes, while it does. */
import { capital } from '../../domain/core/text.ts';
import { Command, InvalidArgumentError } from 'commander';
import { PACE_FORM, parsePace } from '../../domain/policy/pace.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';
import { writeAPace } from '../messages/arguments.ts';

interface Options extends CommonOptions {
  reason?: string;
}

export function paceCommand(): Command {
  return withCommon(new Command('pace'))
    .description('change how many nodes Karpenter replaces at a time; for approvers')
    .argument('<cluster>', 'name in belay.yaml')
    .argument('<pace>', 'freeze, 1, 10%, 20%, original, or automatic (by the plan)', parseArgument)
    .option('-r, --reason <text>', 'why; shown in the thread', parseReason)
    .action(async (cluster: string, pace: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        printReply(await upgrades.pace({ cluster, pace, ...sender, reason: options.reason }), config);
      });
    });
}

function parseArgument(value: string): string {
  const pace = parsePace(value);
  if (pace === undefined) throw new InvalidArgumentError(writeAPace(capital(PACE_FORM)));
  return pace;
}
