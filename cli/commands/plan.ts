/** `belay plan`: the plan, nothing else. Reads AWS and the cluster; needs neither Temporal nor Slack. */
import { Command } from 'commander';
import { type CommonOptions, oneOf, parseTarget, print, printJson, readConfig, targetOf, withCommon } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { renderPlan } from '../render/plan.ts';

interface Options extends CommonOptions {
  target?: string;
  strategy?: 'every-hop' | 'once-at-the-end';
  format: 'text' | 'json';
}

export function planCommand(): Command {
  return withCommon(new Command('plan'))
    .description('show the plan for a cluster; reads only, needs neither Temporal nor Slack')
    .argument('<cluster>', 'name in the configuration')
    .option('-t, --target <minor>', 'version to upgrade to, such as 1.34', parseTarget)
    .option('--strategy <strategy>', 'when nodes are replaced: every-hop or once-at-the-end', oneOf('every-hop', 'once-at-the-end'))
    .option('--format <format>', 'text or json', oneOf('text', 'json'), 'text')
    .action(async (cluster: string, options: Options) => {
      const config = readConfig(options);
      const { planCluster } = await import('../../worker/plan.ts');
      const result = await planCluster(config, { cluster, target: targetOf(config, cluster, options.target), strategy: options.strategy });
      if (options.format === 'json') printJson(result);
      else print(renderPlan(result));
      if (result.kind === 'refused') throw new CliError('There is no plan that keeps all rules; see the remedies above.', EXIT.refused);
    });
}
