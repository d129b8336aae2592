/** `belay plan`: the plan, nothing else. Reads AWS and the cluster; needs neither Temporal nor Slack. */
import { Command } from 'commander';
import {
  type CommonOptions,
  type FormatOptions,
  type PlanOptions,
  readConfig,
  show,
  targetOf,
  withCommon,
  withFormat,
  withPlanOptions,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { renderPlan } from '../render/plan.ts';
import { noPlan } from '../messages/outcomes.ts';

export function planCommand(): Command {
  return withFormat(withPlanOptions(withCommon(new Command('plan'))))
    .description('show the plan for a cluster; reads only, needs neither Temporal nor Slack')
    .action(async (cluster: string, options: CommonOptions & PlanOptions & FormatOptions) => {
      const config = readConfig(options);
      const { planCluster } = await import('../../worker/local/plan.ts');
      const result = await planCluster(config, { cluster, target: targetOf(config, cluster, options.target), strategy: options.strategy });
      show(options, result, renderPlan);
      if (result.kind === 'refused') throw new CliError(noPlan(), EXIT.refused);
    });
}
