/** `belay extend`: more time for an open gate. */
import { Command, InvalidArgumentError } from 'commander';
import { parseDurationMs } from '../../domain/core/parse-duration.ts';
import { gateIn } from '../../client/reading/open-gate.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';
import { writeADuration } from '../messages/arguments.ts';

interface Options extends CommonOptions {
  reason?: string;
}

export function extendCommand(): Command {
  return withCommon(new Command('extend'))
    .description('give an open gate more time, up to a week from now; for approvers and the requester')
    .argument('<cluster>', 'name in belay.yaml')
    .argument('<gate>', "the gate's id, or a unique beginning of it")
    .argument('<duration>', 'how much longer the gate waits, such as 2h or 1d', parseArgument)
    .option('-r, --reason <text>', 'why; shown in the thread', parseReason)
    .action(async (cluster: string, gate: string, byMs: number, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        const { gateId, workflowId, run } = gateIn(await upgrades.status(cluster), gate);
        printReply(await upgrades.extend({ cluster, workflowId, run, gateId, byMs, ...sender, reason: options.reason }), config);
      });
    });
}

function parseArgument(value: string): number {
  const byMs = parseDurationMs(value);
  if (byMs === undefined || byMs === 0) throw new InvalidArgumentError(writeADuration());
  return byMs;
}
