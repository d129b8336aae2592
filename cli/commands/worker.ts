/** `belay worker`: the process that runs workflows and activities. */
import { Command } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import { slackIsHalf } from '../messages/setup.ts';
import { CliError } from '../shared/errors.ts';
import { type CommonOptions, readConfigToStart, stopSignal, withCommon } from '../shared/context.ts';

export function workerCommand(): Command {
  return withCommon(new Command('worker'))
    .description('run the worker; SIGTERM ends it gracefully')
    .option('--network <name>', 'serve only clusters of this network (default: BELAY_NETWORK, else clusters without one, and all runs)')
    .action(async (options: CommonOptions & { network?: string }) => {
      const config = readConfigToStart(options);
      const { networkOf } = await import('../../worker/config/network.ts');
      const network = networkOf(config, options.network);
      const { slackByHalf } = await import('../../worker/config/slack-use.ts');
      // A worker of a network posts nothing.
      const half = network === undefined ? slackByHalf(config, process.env) : undefined;
      if (half !== undefined) throw new CliError(slackIsHalf(half));
      const { runWorker } = await import('../../worker/main.ts');
      await runWorker({ config, signal: stopSignal(), ...defined({ network }) });
    });
}
