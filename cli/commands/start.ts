/** `belay start`: what /eks-upgrade start does. */
import { Command } from 'commander';
import { type StartedUpgrade, UpgradesError } from '../../client/calls/contract.ts';
import {
  type CommonOptions,
  type FormatOptions,
  type PlanOptions,
  readConfigToStart,
  senderOf,
  show,
  targetOf,
  withCommon,
  withFormat,
  withPlanOptions,
  withUpgrades,
} from '../shared/context.ts';
import { endedRun } from '../../client/starting/running-upgrade.ts';
import { startQuestion } from '../render/questions.ts';
import { confirmFirst, withQuestion, type YesOptions } from '../shared/confirm.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { renderPlan } from '../render/plan.ts';
import { nothingStarted, startedRun } from '../messages/outcomes.ts';

export function startCommand(): Command {
  return withQuestion(withFormat(withPlanOptions(withCommon(new Command('start')))))
    .description('start an upgrade: plans, opens a thread, and waits at the first gate')
    .action(async (cluster: string, options: CommonOptions & PlanOptions & FormatOptions & YesOptions) => {
      const config = readConfigToStart(options);
      const target = targetOf(config, cluster, options.target);
      const { actor: requestedBy, prove } = await senderOf(config, cluster);
      const request = { cluster, target, strategy: options.strategy, requestedBy, prove };
      await withUpgrades(config, async (upgrades) => {
        await confirmFirst(options, async () => {
          await endedRun(upgrades, cluster);
          return startQuestion(cluster, target, options.strategy);
        });
        await showStarted(options, () => upgrades.start(request));
      });
    });
}

/** What was started, or what the plan breaks as `belay plan` shows it. Throws a CliError where it breaks something. */
export async function showStarted(options: FormatOptions, start: () => Promise<StartedUpgrade>): Promise<void> {
  try {
    show(options, await start(), renderStarted);
  } catch (error) {
    if (!(error instanceof UpgradesError) || error.violations.length === 0) throw error;
    show(options, { kind: 'refused', violations: error.violations }, renderPlan);
    throw new CliError(nothingStarted(), EXIT.refused);
  }
}

function renderStarted(started: StartedUpgrade): string {
  const { workflowId, plan } = started;
  return `${renderPlan({ ...started, kind: 'plan' })}

${startedRun(workflowId, plan.cluster.name)}`;
}
