/** `belay migrate`: manifests of older APIs, rewritten with the reason of each change. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type FormatOptions, oneOf, print, show, withCommon, withFormat } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { migrateFiles, type Step } from '../migrate/karpenter-files.ts';
import { readCheckout } from '../migrate/read-checkout.ts';
import { renderMigration } from '../render/migration.ts';

interface MigrateOptions extends FormatOptions {
  dir: string;
  to: Step;
  write?: boolean;
  check?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate').description('rewrite manifests of older APIs').addCommand(karpenterCommand());
}

function karpenterCommand(): Command {
  return withFormat(withCommon(new Command('karpenter')))
    .description("Karpenter's manifests to a newer API: shows the diff and the reason of each change; comments are kept")
    .requiredOption('--dir <folder>', 'the checkout with the manifests')
    .option('--to <version>', 'v1 (from v1beta1) or v1beta1 (from v1alpha5)', oneOf('v1', 'v1beta1'), 'v1')
    .option('--write', 'change the files')
    .option('--check', 'exit with 2 where anything is left to migrate: for CI')
    .action((options: MigrateOptions) => {
      const migration = migrateFiles(readCheckout(options.dir), options.to);
      show(options, migration, renderMigration);
      const changed = migration.files.filter(({ text, after }) => text !== after);
      if (options.write === true) {
        for (const { path, after } of changed) writeFileSync(join(options.dir, path), after);
        if (options.format === 'text') print(`${changed.length} files written.`);
      }
      if (options.check === true && changed.length + migration.byHand.length > 0)
        throw new CliError(
          `Manifests below ${options.dir} are not of ${options.to} yet: belay migrate karpenter --dir ${options.dir} --write.`,
          EXIT.refused,
        );
    });
}
