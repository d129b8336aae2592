/** `belay init`: a first belay.yaml from what AWS and the clusters say. */
import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { messageOf } from '../../domain/core/unknown.ts';
import { configFileName } from '../../worker/config/config.ts';
import { type CommonOptions, print, withCommon } from '../shared/context.ts';
import { CliError } from '../shared/errors.ts';
import { renderBelayYaml } from '../render/belay-yaml.ts';
import { fileExists, whichRegion } from '../messages/arguments.ts';
import { afterInit, configWritten, keepPrivateKey, noClusterFound, privateKeyIn } from '../messages/setup.ts';

interface Options extends CommonOptions {
  region?: string;
  force?: boolean;
  appendTo?: string;
}

export function initCommand(): Command {
  return withCommon(new Command('init'))
    .description('write a first belay.yaml, with comments, from what AWS and the clusters report')
    .option('--region <region>', 'AWS region (default: AWS_REGION, else that of the AWS profile)')
    .option('--append-to <file>', 'append the private signing key to this file, such as .env, instead of printing it')
    .option('--force', 'overwrite an existing file')
    .action(async (options: Options) => {
      const file = configFileName(options.config);
      if (existsSync(file) && options.force !== true) throw new CliError(fileExists(file));
      const { usualRegion } = await import('../../worker/local/without-file/account.ts');
      const region = options.region ?? (await usualRegion(process.env));
      if (region === undefined) throw new CliError(whichRegion());
      const { discoverClusters } = await import('../../worker/local/discover.ts');
      const clusters = await discoverClusters(region);
      if (clusters.length === 0) throw new CliError(noClusterFound(region));
      const signing = await signingLines(options.appendTo);
      writeFileSync(file, renderBelayYaml(clusters, signing), { flag: options.force === true ? 'w' : 'wx' });
      print(
        configWritten(
          file,
          clusters.map(({ name }) => name),
        ),
      );
      if (signing.say !== undefined) print(signing.say);
      print(afterInit());
    });
}

/** The key of the Slack process: the one that is set, else a new one. Its public part is in belay.yaml, and where the private part is, is said. */
async function signingLines(file: string | undefined): Promise<{ id: string; publicKey: string; say?: string }> {
  const { signingKey } = await import('../../worker/crypto/signing/key.ts');
  const { appendPrivateLine, newKeyLines, publicKeyOf } = await import('../../worker/crypto/signing/make.ts');
  const set = signingKey(process.env);
  if (set !== undefined) return { id: set.id, publicKey: publicKeyOf(set) };
  const lines = newKeyLines(new Date());
  if (file === undefined)
    return {
      ...lines,
      say: keepPrivateKey(lines.privateLine),
    };
  try {
    appendPrivateLine(file, lines);
  } catch (error) {
    throw new CliError(messageOf(error));
  }
  return { ...lines, say: privateKeyIn(file) };
}
