/** `belay worker`: the process that runs workflows and activities. */
import { Command } from 'commander';
import { runWorker } from '../../worker/main.ts';
import { type CommonOptions, readConfig, stopSignal, withCommon } from '../context.ts';

export function workerCommand(): Command {
  return withCommon(new Command('worker'))
    .description('run the worker; SIGTERM ends it gracefully')
    .action(async (options: CommonOptions) => {
      await runWorker({ config: readConfig(options), signal: stopSignal() });
    });
}
