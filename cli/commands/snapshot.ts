/** `belay snapshot`: a cluster in one file, without secrets. Reads only; needs neither Temporal nor Slack. `show` says what is in a file. */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { anonymizer } from '../../domain/facts/snapshot/anonymous/anonymize.ts';
import { withNames } from '../../domain/facts/snapshot/anonymous/names.ts';
import { Tokens } from '../../domain/facts/snapshot/anonymous/tokens.ts';
import { summarize } from '../../domain/facts/snapshot/summary.ts';
import { isRecord, messageOf } from '../../domain/core/unknown.ts';
import { cannotWrite } from '../messages/arguments.ts';
import {
  fileExists,
  incomplete,
  mapNotNeeded,
  mapWithoutAnonymize,
  mapWritten,
  notAMap,
  snapshotNeedsFile,
  snapshotTaken,
} from '../messages/snapshots.ts';
import { showProgress } from '../render/check-progress.ts';
import { renderSnapshot, sizeOf } from '../render/snapshot.ts';
import { choiceOf, chosenCluster, type ClusterOptions, withCluster } from '../shared/cluster.ts';
import {
  CLUSTER_ARGUMENT,
  type CommonOptions,
  type FormatOptions,
  print,
  printText,
  say,
  stoppable,
  withCommon,
  withFormat,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';

interface TakeOptions extends CommonOptions, ClusterOptions {
  output?: string;
  anonymize?: boolean;
  map?: string;
  force?: boolean;
}

export function snapshotCommand(): Command {
  return (
    withCluster(withCommon(new Command('snapshot')))
      // Both have --map.
      .enablePositionalOptions()
      .description(
        'save a cluster to one file, without secrets, for rehearsals and forecasts; reads only, needs neither Temporal nor Slack',
      )
      .argument('[cluster]', CLUSTER_ARGUMENT)
      .option('-o, --output <file>', 'file to write, such as cluster.snapshot.json.gz')
      .option('--anonymize', 'replace names, accounts, ARNs, registries and addresses by tokens')
      .option('--map <file>', 'with --anonymize: write the map from tokens to names to this file')
      .option('--force', 'overwrite existing files')
      .addHelpText('after', '\nExit codes of snapshot: 0 complete · 3 taken with gaps, which are listed · 1 could not be taken')
      .action(async (cluster: string | undefined, options: TakeOptions) => await take(cluster, options))
      .addCommand(showCommand())
  );
}

async function take(cluster: string | undefined, options: TakeOptions): Promise<void> {
  const { output, map } = options;
  if (map !== undefined && options.anonymize !== true) throw new CliError(mapWithoutAnonymize());
  choiceOf(cluster, options);
  if (output === undefined) throw new CliError(snapshotNeedsFile());
  for (const file of [output, ...(map === undefined ? [] : [map])])
    if (options.force !== true && existsSync(file)) throw new CliError(fileExists(file));
  const { config, cluster: name, end } = await chosenCluster(cluster, options, { usage: 'belay snapshot CLUSTER -o FILE' });
  const { SNAPSHOT_READINGS, takeSnapshotOf } = await import('../../worker/local/snapshots/take-snapshot.ts');
  const { thisRelease } = await import('../../worker/releases/build-id.ts');
  const key = randomBytes(32);
  const tokens = new Tokens((text) => createHmac('sha256', key).update(text).digest());
  const rewrite = options.anonymize === true ? { rewrite: anonymizer(tokens) } : {};
  const progress = showProgress(process.stderr, SNAPSHOT_READINGS);
  const onRead = (what: string): void => progress.read(what);
  const taken = await stoppable((signal) =>
    takeSnapshotOf(config, name, output, { belay: thisRelease(), onRead, signal, ...rewrite }),
  ).finally(() => progress.end());
  if (map !== undefined) {
    writeMap(map, tokens.map());
    say(mapWritten(map));
  }
  const unread = taken.lists.flatMap(({ outcome, plural, why = '' }) => (outcome === 'unread' ? [{ what: plural, why }] : []));
  const gaps = [...unread, ...taken.gaps];
  for (const { what, why } of gaps) say(incomplete(what, why));
  const objectCount = taken.lists.reduce((sum, { count = 0 }) => sum + count, 0);
  const said = snapshotTaken(output, sizeOf(taken.bytes), objectCount, gaps.length);
  end();
  if (gaps.length > 0) throw new CliError(said, EXIT.unknown);
  say(said);
}

function writeMap(file: string, map: Readonly<Record<string, string>>): void {
  try {
    writeFileSync(file, `${JSON.stringify(map, undefined, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new CliError(cannotWrite('--map', file, messageOf(error)));
  }
}

interface ShowOptions extends CommonOptions, FormatOptions {
  map?: string;
}

function showCommand(): Command {
  return withFormat(withCommon(new Command('show')))
    .description('show what is in a snapshot file')
    .argument('<file>', 'a snapshot file')
    .option('--map <file>', 'map written by belay snapshot --anonymize: show names instead of tokens')
    .action(async (file: string, { format, map }: ShowOptions) => {
      const { readSnapshotFile } = await import('../../worker/local/snapshots/snapshot-file.ts');
      const summary = summarize(await readSnapshotFile(file), statSync(file).size);
      if (map !== undefined && !summary.anonymized) throw new CliError(mapNotNeeded(file));
      const text = format === 'json' ? JSON.stringify(summary, undefined, 2) : renderSnapshot(summary);
      (format === 'json' ? print : printText)(map === undefined ? text : withNames(text, readMap(map)));
    });
}

function readMap(file: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CliError(notAMap(file, messageOf(error)));
  }
  if (!isRecord(value) || Object.values(value).some((each) => typeof each !== 'string'))
    throw new CliError(notAMap(file, 'its values are not names'));
  return value as Record<string, string>;
}
