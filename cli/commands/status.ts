/** `belay status`: one upgrade, or all that run. */
import { Command } from 'commander';
import { type CommonOptions, oneOf, print, printJson, readConfig, withCommon, withUpgrades } from '../context.ts';
import { renderRuns, renderStatus } from '../render/status.ts';

interface Options extends CommonOptions {
  format: 'text' | 'json';
}

export function statusCommand(): Command {
  return withCommon(new Command('status'))
    .description('show an upgrade with its open gates, or all upgrades that run')
    .argument('[cluster]', 'name in the configuration')
    .option('--format <format>', 'text or json', oneOf('text', 'json'), 'text')
    .action(async (cluster: string | undefined, options: Options) => {
      const config = readConfig(options);
      await withUpgrades(config, async ({ upgrades }) => {
        if (cluster === undefined) {
          const runs = await upgrades.list();
          return options.format === 'json' ? printJson(runs) : print(renderRuns(runs));
        }
        const answer = await upgrades.status(cluster);
        return options.format === 'json' ? printJson(answer) : print(renderStatus(answer));
      });
    });
}
