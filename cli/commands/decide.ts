/** `belay decide`: a decision at a gate, by the person whom AWS knows (people in belay.yaml), else by the operating-system user, unverified. */
import { Command } from 'commander';
import { type OpenGate, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import { type FoundGate, gateIn } from '../../client/reading/open-gate.ts';
import type { StatusAnswer } from '../../client/upgrades-client.ts';
import { type CommonOptions, printReply, readConfig, say, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';
import { askYes, terminalOf, withYes, type YesOptions } from '../shared/confirm.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { gateLines } from '../render/status.ts';
import { plain } from '../shared/controls.ts';
import { isPlan } from '../shared/plan-hash.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { cliMayNotDecide, otherPlan, sendChoice } from '../messages/outcomes.ts';

interface Options extends CommonOptions, YesOptions {
  reason?: string;
  plan?: string;
}

export function decideCommand(): Command {
  return withYes(withCommon(new Command('decide')))
    .description('decide at an open gate; "belay status CLUSTER" lists gates and choices')
    .argument('<cluster>', 'name in belay.yaml')
    .argument('<gate>', "the gate's id, or a unique beginning of it")
    .argument('<choice>', `one of its choices, such as approve; ${WITHDRAW_VOTE} withdraws your vote`)
    .option('-r, --reason <text>', 'why; some choices require it', parseReason)
    .option('--plan <hash>', 'decide only if the gate is about this plan: its hash, or the beginning that Slack shows; for scripts')
    .action(async (cluster: string, gate: string, choice: string, options: Options) => {
      const config = readConfig(options);
      const { approvals, people } = policyOf(config, cluster);
      if (people === undefined && !approvals.allowUnverifiedCli) {
        throw new CliError(cliMayNotDecide(config.fileName, cluster, config.usesSlack), EXIT.refused);
      }
      const sender = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        const answer = await upgrades.status(cluster);
        const found = gateIn(answer, gate, choice);
        await confirm(cluster, answer, found, choice, options);
        const decided = await upgrades.decide({ cluster, ...found, choice, ...sender, reason: options.reason });
        printReply(decided, config);
      });
    });
}

/** Nobody decides without having seen about what: it is shown, and on a terminal asked. Throws a CliError where the plan is another one, or the answer is no. */
async function confirm(
  cluster: string,
  answer: StatusAnswer,
  { gateId, planHash }: FoundGate,
  choice: string,
  { plan, yes }: Options,
): Promise<void> {
  const gate = answer.source === 'workflow' ? answer.status.gates.find(({ id }) => id === gateId) : undefined;
  if (plan !== undefined && !isPlan(planHash, plan)) {
    throw new CliError(otherPlan(cluster, gateId, plan, planHash), EXIT.refused);
  }
  await showAndAsk(gate, choice, { yes: yes === true || plan !== undefined });
}

/** What the gate is about, if it is known, and on a terminal a question. Throws a CliError where the answer is no. */
export async function showAndAsk(gate: OpenGate | undefined, choice: string, { yes }: YesOptions): Promise<void> {
  if (gate !== undefined) [plain(gate.title), ...gateLines(gate)].forEach(say);
  const terminal = terminalOf();
  if (yes !== true && terminal !== undefined) await askYes(sendChoice(choice), terminal);
}
