/** `belay campaign proposals|propose|dismiss`: campaigns that Belay proposes. */
import { Command, InvalidArgumentError } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import {
  type CommonOptions,
  type FormatOptions,
  parseReason,
  printReply,
  readConfig,
  type Sender,
  show,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { renderProposals } from '../render/proposals.ts';
import { writeAMinor } from '../messages/arguments.ts';

type SenderIn = (config: Config) => Promise<Sender>;

export function proposalCommands(senderIn: SenderIn): Command[] {
  return [proposalsCommand(), proposeCommand(senderIn), dismissCommand(senderIn)];
}

function proposalsCommand(): Command {
  return withFormat(withCommon(new Command('proposals')))
    .description('list the campaigns that Belay has proposed, those that were dismissed and by whom, and when it checks next')
    .action(async (options: CommonOptions & FormatOptions) => {
      await withUpgrades(readConfig(options), async (_, campaigns) => show(options, await campaigns.proposals.status(), renderProposals));
    });
}

function proposeCommand(senderIn: SenderIn): Command {
  return withCommon(new Command('propose'))
    .description('check now whether a campaign is due, instead of at the usual time; starts nothing')
    .action(async (options: CommonOptions) => {
      const config = readConfig(options);
      const sender = await senderIn(config);
      await withUpgrades(config, async (_, campaigns) => printReply(await campaigns.proposals.look(sender), config));
    });
}

function dismissCommand(senderIn: SenderIn): Command {
  return withCommon(new Command('dismiss'))
    .description('dismiss the proposal for this version for good')
    .argument('<version>', 'target of the proposal, such as 1.35', parseMinor)
    .option('-r, --reason <text>', 'why; recorded with the command', parseReason)
    .action(async (target: string, options: CommonOptions & { reason?: string }) => {
      const config = readConfig(options);
      const sender = await senderIn(config);
      const { reason } = options;
      await withUpgrades(config, async (_, campaigns) =>
        printReply(await campaigns.proposals.dismiss({ ...sender, target, ...defined({ reason }) }), config),
      );
    });
}

function parseMinor(value: string): string {
  if (!/^1\.\d{2}$/.test(value)) throw new InvalidArgumentError(writeAMinor());
  return value;
}
