/** `belay doctor`: what is missing for an upgrade, each with its fix. */
import { Command } from 'commander';
import pc from 'picocolors';
import { type CommonOptions, oneOf, print, printJson, readConfig, withCommon } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { plural } from '../render/words.ts';

interface Options extends CommonOptions {
  format: 'text' | 'json';
}

const MARKS = { ok: pc.green('✓'), warning: pc.yellow('!'), failed: pc.red('✗'), unknown: pc.yellow('?') };

export function doctorCommand(): Command {
  return withCommon(new Command('doctor'))
    .description('check AWS, Kubernetes, Temporal, workers, Slack and clocks, and say what to fix; exit 2 where something fails')
    .argument('[cluster...]', 'clusters to look at (default: all)')
    .option('--format <format>', 'text or json', oneOf('text', 'json'), 'text')
    .action(async (clusters: string[], options: Options) => {
      const config = readConfig(options);
      const { examine } = await import('../../worker/doctor/examine.ts');
      const diagnoses = await examine(config, clusters.length > 0 ? clusters : config.clusterNames);
      if (options.format === 'json') printJson(diagnoses);
      else {
        for (const { area, status, message, fix } of diagnoses) {
          print(`${MARKS[status]} ${area.padEnd(10)} ${message}`);
          if (fix !== undefined && status !== 'ok') print(`             → ${fix}`);
        }
      }
      const failed = diagnoses.filter(({ status }) => status === 'failed').length;
      if (failed > 0) throw new CliError(`${plural(failed, 'check')} failed; each has its fix beside it.`, EXIT.refused);
    });
}
