/** `belay validate`: is belay.yaml right? Reads nothing else: for editors, pre-commit hooks and CI. */
import { Command } from 'commander';
import { ConfigError } from '../../domain/policy/config/base/errors.ts';
import { refuseToStart } from '../../domain/policy/config/of-cluster.ts';
import { configFileName, loadConfig } from '../../worker/config/config.ts';
import { unheardGates } from '../../worker/config/slack-use.ts';
import { fileWarning, validConfig } from '../messages/outcomes.ts';
import { type CommonOptions, print, withCommon } from '../shared/context.ts';
import { CliError } from '../shared/errors.ts';

export function validateCommand(): Command {
  return withCommon(new Command('validate'))
    .description('check whether belay.yaml is valid; reads only files, and prints each error with its line')
    .argument('[file...]', 'files to check (default: BELAY_CONFIG or belay.yaml)')
    .action((files: string[], options: CommonOptions) => {
      const named = files.length > 0 ? files : [configFileName(options.config)];
      const problems = named.flatMap(problemsOf);
      if (problems.length > 0) throw new CliError(problems.join('\n'));
    });
}

/** Every file is read, also after one that is not valid. */
function problemsOf(file: string): string[] {
  try {
    const config = loadConfig(file);
    refuseToStart(config);
    print(validConfig(file, config.clusters.size));
    const unheard = unheardGates(config);
    if (unheard !== undefined) print(fileWarning(file, unheard));
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [error.message];
    throw error;
  }
}
