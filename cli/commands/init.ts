/** `belay init`: a first belay.yaml from what AWS and the clusters say. */
import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { count } from '../../domain/words.ts';
import { configFileName } from '../../worker/config.ts';
import { type CommonOptions, print, withCommon } from '../context.ts';
import { CliError } from '../errors.ts';
import { renderBelayYaml } from '../render/belay-yaml.ts';

interface Options extends CommonOptions {
  region?: string;
  force?: boolean;
}

export function initCommand(): Command {
  return withCommon(new Command('init'))
    .description('write a commented belay.yaml from what AWS and the clusters say')
    .option('--region <region>', 'AWS region (default: AWS_REGION)')
    .option('--force', 'overwrite the file if it is there')
    .action(async (options: Options) => {
      const file = configFileName(options.config);
      if (existsSync(file) && options.force !== true)
        throw new CliError(`${file} is there already; overwrite it with --force, or name another file by --config.`);
      const region = options.region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION']);
      if (!region) throw new CliError('Say in which region to look: --region eu-west-1, or AWS_REGION.');
      const { discoverClusters } = await import('../../worker/discover.ts');
      const clusters = await discoverClusters(region);
      if (clusters.length === 0)
        throw new CliError(`There is no EKS cluster in ${region} for these credentials; try another --region or AWS_PROFILE.`);
      writeFileSync(file, renderBelayYaml(clusters), { flag: options.force === true ? 'w' : 'wx' });
      print(`${file} names ${count(clusters.length, 'cluster')}: ${clusters.map(({ name }) => name).join(', ')}.`);
      print('Next: add approvers and a channel to it, then run "belay doctor".');
    });
}
