/** `belay report`: the record of an upgrade that has ended, kept longer than Temporal keeps history. */
import { Command } from 'commander';
import { policyOf } from '../../domain/config/config.ts';
import { type CommonOptions, type FormatOptions, print, printJson, readConfig, withCommon, withFormat } from '../context.ts';
import { renderReport } from '../render/status.ts';

export function reportCommand(): Command {
  return withFormat(withCommon(new Command('report')))
    .description('show the record of the last upgrade of a cluster that has ended')
    .argument('<cluster>', 'name in the configuration')
    .action(async (cluster: string, options: CommonOptions & FormatOptions) => {
      const config = readConfig(options);
      const ref = policyOf(config, cluster).cluster;
      const { lastRecord } = await import('../../worker/records.ts');
      const record = lastRecord(config, ref);
      if (options.format === 'json') printJson(record.json);
      else print(renderReport(record.report, record.asked));
    });
}
