/** `belay upgrade-self`: what to know before Belay itself is replaced by another release. */
import { Command } from 'commander';
import type { ReplayedRun } from '../../worker/releases/replay-runs.ts';
import { type CommonOptions, type FormatOptions, readConfig, show, withCommon, withFormat } from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { renderOpenRuns } from '../render/open-runs.ts';
import { notAllReplayed, wouldBreak } from '../messages/releases.ts';

interface Options extends CommonOptions, FormatOptions {
  json?: boolean;
}

export function upgradeSelfCommand(): Command {
  return new Command('upgrade-self').description('upgrade Belay itself').addCommand(checkCommand());
}

function checkCommand(): Command {
  return withFormat(withCommon(new Command('check')))
    .description(
      'run this from the next release: replays the history of every open run on it, and names those that would break; changes nothing',
    )
    .option('--json', 'the same as --format json')
    .addHelpText(
      'after',
      '\nExit codes of upgrade-self check: 0 every open run replays, or is a step that stays with the workers it is pinned to · 1 a run would break, or the check could not run · 3 no run is known to break, but some could not be replayed',
    )
    .action(async (options: Options) => {
      const config = readConfig(options);
      const { checkOpenRuns } = await import('../../worker/releases/check-open-runs.ts');
      const check = await checkOpenRuns(config);
      show(options.json === true ? { format: 'json' } : options, check, renderOpenRuns);
      const named = (verdict: ReplayedRun['verdict']): string[] =>
        check.runs.filter((run) => run.verdict === verdict).map(({ workflowId }) => workflowId);
      const [breaking, unknown] = [named('breaks'), named('unknown')];
      if (breaking.length > 0) throw new CliError(wouldBreak(breaking, check.runs.length, check.release), EXIT.couldNotRun);
      if (unknown.length > 0) throw new CliError(notAllReplayed(unknown, check.runs.length, check.release), EXIT.unknown);
    });
}
