/** `belay decide`: a decision at a gate, by the person whom AWS knows (people in belay.yaml), else by the operating-system user, unverified. */
import { Command } from 'commander';
import { policyOf } from '../../domain/config/config.ts';
import { WITHDRAW_VOTE } from '../../domain/gate.ts';
import { gateIn } from '../../slack/upgrades/open-gate.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';

interface Options extends CommonOptions {
  reason?: string;
}

export function decideCommand(): Command {
  return withCommon(new Command('decide'))
    .description('decide at an open gate; "belay status CLUSTER" lists gates and choices')
    .argument('<cluster>', 'name in the configuration')
    .argument('<gate>', "the gate's id, or the beginning of it where only one fits")
    .argument('<choice>', `one of its choices, such as approve; ${WITHDRAW_VOTE} takes back your vote`)
    .option('-r, --reason <text>', 'why; some choices ask for it')
    .action(async (cluster: string, gate: string, choice: string, options: Options) => {
      const config = readConfig(options);
      const { approvals, people } = policyOf(config, cluster);
      if (people === undefined && !approvals.allowUnverifiedCli) {
        throw new CliError(
          `${config.fileName} does not let the command line decide for ${cluster}: decide in Slack, name people and their AWS identities under people, or set approvals.allowUnverifiedCli to true.`,
          EXIT.refused,
        );
      }
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        const found = gateIn(await upgrades.status(cluster), gate, choice);
        const decided = await upgrades.decide({ cluster, ...found, choice, ...sender, reason: options.reason });
        printReply(decided);
      });
    });
}
