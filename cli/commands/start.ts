/** `belay start`: what /eks-upgrade start does. */
import { Command } from 'commander';
import { type StartedUpgrade, UpgradesError } from '../../client/calls/contract.ts';
import {
  type CommonOptions,
  type FormatOptions,
  type PlanOptions,
  printText,
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
import { renderPlan, renderViolations } from '../render/plan.ts';
import { startedRun } from '../messages/outcomes.ts';

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
        try {
          show(options, await upgrades.start(request), renderStarted);
        } catch (error) {
          if (error instanceof UpgradesError && error.violations.length > 0) printText(renderViolations(error.violations));
          throw error;
        }
      });
    });
}

export function renderStarted(started: StartedUpgrade): string {
  const { workflowId, plan } = started;
  return `${renderPlan({ ...started, kind: 'plan' })}

${startedRun(workflowId, plan.cluster.name)}`;
}
