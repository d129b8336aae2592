/** `belay doctor`: what is missing for an upgrade, each with its fix. */
import { Command } from 'commander';
import pc from 'picocolors';
import type { Config } from '../../domain/policy/config/config.ts';
import type { Diagnosis } from '../../worker/doctor/types.ts';
import { type CommonOptions, type FormatOptions, readConfig, show, withCommon, withFormat } from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { checksFailed } from '../messages/outcomes.ts';

const MARKS = { ok: pc.green('✓'), warning: pc.yellow('!'), failed: pc.red('✗'), unknown: pc.yellow('?') };

export function doctorCommand(): Command {
  return withFormat(withCommon(new Command('doctor')))
    .description('check AWS, Kubernetes, Temporal, workers, Slack and clocks, and show what to fix; exit code 2 if something fails')
    .argument('[cluster...]', 'clusters to check (default: all that this machine reaches: those of network BELAY_NETWORK, or of none)')
    .option(
      '--after-restore',
      'check only what a restore of Temporal affects: runs it has forgotten or wrongly takes for open, and what nobody guards any more',
    )
    .option('--send-test', 'send a test event to each webhook and a test mail to each e-mail delivery of belay.yaml')
    .action(async (clusters: string[], options: CommonOptions & FormatOptions & { afterRestore?: boolean; sendTest?: boolean }) => {
      const config = readConfig(options, { quiet: true });
      const diagnoses = await (options.afterRestore === true
        ? afterRestore(config, clusters.length > 0 ? clusters : config.clusterNames)
        : everything(config, clusters, options.sendTest === true));
      show(options, diagnoses, (all) => all.flatMap(renderDiagnosis).join('\n'));
      const failed = diagnoses.filter(({ status }) => status === 'failed').length;
      if (failed > 0) throw new CliError(checksFailed(failed), EXIT.refused);
    });
}

async function everything(config: Config, names: string[], sendTest: boolean): Promise<Diagnosis[]> {
  const { examine } = await import('../../worker/doctor/examine.ts');
  return await examine(config, names, process.env, { sendTest });
}

async function afterRestore(config: Config, names: string[]): Promise<Diagnosis[]> {
  const { examineAfterRestore } = await import('../../worker/doctor/after-restore.ts');
  return await examineAfterRestore(config, names);
}

function renderDiagnosis({ area, status, message, fix }: Diagnosis): string[] {
  const line = `${MARKS[status]} ${area.padEnd(10)} ${message}`;
  return fix === undefined || status === 'ok' ? [line] : [line, `             → ${fix}`];
}
