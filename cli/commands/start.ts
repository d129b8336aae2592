/** `belay start`: what /eks-upgrade start does. */
import { Command } from 'commander';
import { UpgradesError } from '../../slack/upgrades.ts';
import {
  cliActor,
  type CommonOptions,
  oneOf,
  parseTarget,
  print,
  printJson,
  readConfig,
  targetOf,
  withCommon,
  withUpgrades,
} from '../context.ts';
import { renderPlan, renderViolations } from '../render/plan.ts';

interface Options extends CommonOptions {
  target?: string;
  strategy?: 'every-hop' | 'once-at-the-end';
  format: 'text' | 'json';
}

export function startCommand(): Command {
  return withCommon(new Command('start'))
    .description('start an upgrade: plans, opens a thread, and waits at its first gate')
    .argument('<cluster>', 'name in the configuration')
    .option('-t, --target <minor>', 'version to upgrade to, such as 1.34', parseTarget)
    .option('--strategy <strategy>', 'when nodes are replaced: every-hop or once-at-the-end', oneOf('every-hop', 'once-at-the-end'))
    .option('--format <format>', 'text or json', oneOf('text', 'json'), 'text')
    .action(async (cluster: string, options: Options) => {
      const config = readConfig(options);
      const request = { cluster, target: targetOf(config, cluster, options.target), strategy: options.strategy, requestedBy: cliActor() };
      await withUpgrades(config, async ({ upgrades }) => {
        try {
          const started = await upgrades.start(request);
          if (options.format === 'json') return printJson(started);
          print(renderPlan({ kind: 'plan', plan: started.plan }));
          print(`\nStarted: ${started.workflowId}. Nothing is changed before its first gate; follow it with "belay status ${cluster}".`);
        } catch (error) {
          if (error instanceof UpgradesError && error.violations.length > 0) print(renderViolations(error.violations));
          throw error;
        }
      });
    });
}
