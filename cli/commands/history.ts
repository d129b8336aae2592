/** `belay history`: the upgrades of a cluster that have ended, from their records. */
import { Command } from 'commander';
import { pastRun } from '../../domain/run/record/history.ts';
import { type CommonOptions, type FormatOptions, readConfig, show, withCommon, withFormat } from '../shared/context.ts';
import { renderHistory } from '../render/history.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

export function historyCommand(): Command {
  return withFormat(withCommon(new Command('history')))
    .description('list ended upgrades: outcome, requester, time, duration')
    .argument('<cluster>', 'name in belay.yaml')
    .action(async (cluster: string, options: CommonOptions & FormatOptions) => {
      const config = readConfig(options);
      const ref = policyOf(config, cluster).cluster;
      const { recordsOf, withStorage } = await import('../../worker/local/read-records.ts');
      const records = await withStorage(config, (storage) => recordsOf(storage, ref));
      show(
        options,
        records.map(({ report, forecast }) => pastRun(report, forecast)),
        renderHistory,
      );
    });
}
