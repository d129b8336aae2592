/** `belay decide`: a decision at a gate, by the person whom AWS knows (people in belay.yaml), else by the operating-system user, unverified. */
import { Command } from 'commander';
import { policyOf } from '../../domain/config/config.ts';
import { WITHDRAW_VOTE } from '../../domain/gate.ts';
import type { UpgradeStatus } from '../../domain/status.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';

interface Options extends CommonOptions {
  reason?: string;
}

/** A gate is at its first revision until the status says otherwise. */
const FIRST_REVISION = 1;

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
        const answer = await upgrades.status(cluster);
        const found =
          answer.source === 'workflow'
            ? openGate(answer.status, gate, choice)
            : { workflowId: undefined, id: gate, revision: undefined, planHash: undefined };
        const decided = await upgrades.decide({
          cluster,
          workflowId: found.workflowId,
          gateId: found.id,
          choice,
          ...sender,
          reason: options.reason,
          revision: found.revision ?? FIRST_REVISION,
          planHash: found.planHash,
          run: answer.status.runId,
        });
        printReply(decided);
      });
    });
}

function openGate(status: UpgradeStatus, wanted: string, choice: string): UpgradeStatus['gates'][number] {
  const fitting = status.gates.filter(({ id }) => id === wanted);
  const candidates = fitting.length > 0 ? fitting : status.gates.filter(({ id }) => id.startsWith(wanted));
  const [gate] = candidates;
  if (gate === undefined || candidates.length > 1) {
    const open = status.gates.map(({ id }) => id).join(', ') || 'none';
    const problem = gate === undefined ? `No open gate is called ${wanted}` : `Several open gates begin with ${wanted}`;
    throw new CliError(`${problem}. Open gates: ${open}.`, EXIT.refused);
  }
  if (!gate.choices.includes(choice) && choice !== WITHDRAW_VOTE)
    throw new CliError(`${gate.id} has no choice "${choice}". It has: ${gate.choices.join(', ')}.`, EXIT.refused);
  return gate;
}
