/** `belay status`: one upgrade, or all that run. */
import { Command } from 'commander';
import { type CommonOptions, type FormatOptions, readConfig, show, withCommon, withFormat, withUpgrades } from '../shared/context.ts';
import { renderRuns, renderStatus } from '../render/status.ts';

export function statusCommand(): Command {
  return withFormat(withCommon(new Command('status')))
    .description('show an upgrade with its open gates, or all upgrades that run')
    .argument('[cluster]', 'name in the configuration')
    .action(async (cluster: string | undefined, options: CommonOptions & FormatOptions) => {
      await withUpgrades(readConfig(options), async (upgrades) => {
        if (cluster === undefined) show(options, await upgrades.list(), renderRuns);
        else show(options, await upgrades.status(cluster), renderStatus);
      });
    });
}
