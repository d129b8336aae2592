/** `belay handover`: somebody else has asked for the upgrade from now on. */
import { Command, InvalidArgumentError } from 'commander';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';
import { PERSON } from '../../domain/policy/identities.ts';
import { writeAUserId } from '../messages/arguments.ts';

interface Options extends CommonOptions {
  reason?: string;
}

export function handoverCommand(): Command {
  return withCommon(new Command('handover'))
    .description('make someone else the requester of an upgrade; neither requester may approve it')
    .argument('<cluster>', 'name in belay.yaml')
    .argument(
      '<user>',
      'Slack user ID such as U012AB3CD (in the profile: "Copy member ID"); without Slack, a name from belay.yaml',
      parseArgument,
    )
    .option('-r, --reason <text>', 'why; shown in the thread', parseReason)
    .action(async (cluster: string, id: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        printReply(await upgrades.handOver({ cluster, to: { kind: 'slack', id }, ...sender, reason: options.reason }), config);
      });
    });
}

function parseArgument(value: string): string {
  if (!PERSON.test(value)) throw new InvalidArgumentError(writeAUserId());
  return value;
}
