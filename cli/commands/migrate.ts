/** `belay migrate`: manifests of older APIs, rewritten with the reason of each change, and the order of the steps around it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { stringify } from 'yaml';
import { at } from '../../domain/plan/migration/edit.ts';
import type { Step } from '../../domain/plan/migration/names.ts';
import { type CommonOptions, type FormatOptions, oneOf, print, printJson, readConfig, withCommon, withFormat } from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { migrateFiles } from '../migrate/karpenter-files.ts';
import { type Migration, migrationOf, readPolicy } from '../migrate/migration.ts';
import { readCheckout } from '../migrate/read-checkout.ts';
import { renderMigration } from '../render/migration.ts';
import { withoutControls } from '../shared/controls.ts';
import { clusterOrFolder, nothingToMigrateNamed, outNeedsCluster, writeNeedsFolder } from '../messages/arguments.ts';
import { filesWritten, leftToMigrate, migrationUnseen } from '../messages/outcomes.ts';
import { defined } from '../../domain/core/defined.ts';

interface MigrateOptions extends CommonOptions, FormatOptions {
  dir?: string;
  to: Step;
  out?: string;
  iamPolicy?: string;
  write?: boolean;
  check?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate').description('migrate manifests of older APIs').addCommand(karpenterCommand());
}

function karpenterCommand(): Command {
  return withFormat(withCommon(new Command('karpenter')))
    .description(
      "migrate Karpenter's objects and manifests to a newer API: each change with diff and reason, and what comes before and after",
    )
    .argument('[cluster]', 'name in belay.yaml; reads its objects and progress, changes nothing')
    .option('--dir <folder>', 'checkout with the manifests; keeps comments')
    .option('--to <version>', 'v1 (from v1beta1) or v1beta1 (from v1alpha5)', oneOf('v1', 'v1beta1'), 'v1')
    .option('--write', 'with --dir: change the files')
    .option('--out <folder>', 'with a cluster: write the new manifests to this folder, one file per object')
    .option('--iam-policy <file>', 'the controller role’s policy as JSON: show which rights the newer Karpenter lacks')
    .option('--check', 'for CI: exit code 2 if anything is left to do, 3 if something could not be read')
    .addHelpText('after', '\nExit codes with --check: 0 nothing is left to do · 2 something is left · 3 only unknowns')
    .action(async (cluster: string | undefined, options: MigrateOptions) => {
      refuseMixture(cluster, options);
      const migration = await migrate(cluster, options);
      // Shows files as they will be: nothing in them is said otherwise.
      if (options.format === 'json') printJson(migration);
      else print(renderMigration(withoutControls(migration)));
      writeAll(migration, options);
      if (options.check === true) judge(migration, cluster ?? options.dir ?? options.iamPolicy ?? '');
    });
}

function refuseMixture(cluster: string | undefined, { dir, write, out, iamPolicy }: MigrateOptions): void {
  if (cluster !== undefined && dir !== undefined) throw new CliError(clusterOrFolder());
  if (cluster === undefined && dir === undefined && iamPolicy === undefined) throw new CliError(nothingToMigrateNamed());
  if (write === true && dir === undefined) throw new CliError(writeNeedsFolder());
  if (out !== undefined && cluster === undefined) throw new CliError(outNeedsCluster());
}

async function migrate(cluster: string | undefined, options: MigrateOptions): Promise<Migration> {
  const iam = options.iamPolicy === undefined ? undefined : readPolicy(options.iamPolicy, options.to);
  if (cluster === undefined) {
    const sources = options.dir === undefined ? [] : readCheckout(options.dir);
    return { ...migrateFiles(sources, options.to), ...defined({ iam }) };
  }
  const { readMigration } = await import('../../worker/local/migrate.ts');
  return migrationOf(await readMigration(readConfig(options), { cluster, step: options.to }), iam);
}

const changedOf = ({ files }: Migration): Migration['files'] => files.filter(({ text, after }) => text !== after);

function writeAll(migration: Migration, { write, dir, out, format }: MigrateOptions): void {
  const folder = write === true ? dir : out;
  if (folder === undefined) return;
  const changed = changedOf(migration).map(({ path, after }) => ({ path, text: after }));
  // Of a checkout nobody knows which file they belong into.
  const added = out === undefined ? [] : migration.added.map(({ object }) => ({ path: addedPath(object), text: stringify(object) }));
  for (const { path, text } of [...changed, ...added]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (format === 'text') print(filesWritten(changed.length + added.length));
}

const addedPath = (object: Migration['added'][number]['object']): string => `ec2nodeclass-${String(at(object, ['metadata', 'name']))}.yaml`;

function judge(migration: Migration, where: string): void {
  const { steps = [], byHand, iam, added } = migration;
  const left =
    changedOf(migration).length +
    byHand.length +
    added.length +
    (iam?.gaps.length ?? 0) +
    steps.filter(({ state }) => state === 'open' || state === 'broken').length;
  if (left > 0) throw new CliError(leftToMigrate(where), EXIT.refused);
  if (steps.some(({ state }) => state === 'unknown')) throw new CliError(migrationUnseen(where), EXIT.unknown);
}
