/** `belay worker`: the process that runs workflows and activities. */
import { Command } from 'commander';
import { type CommonOptions, readConfig, stopSignal, withCommon } from '../shared/context.ts';

export function workerCommand(): Command {
  return withCommon(new Command('worker'))
    .description('run the worker; SIGTERM ends it gracefully')
    .action(async (options: CommonOptions) => {
      const config = readConfig(options);
      const { runWorker } = await import('../../worker/main.ts');
      await runWorker({ config, signal: stopSignal() });
    });
}
