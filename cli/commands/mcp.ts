/** `belay mcp`: what Belay knows, for an assistant. Reads only; a process of the client's, over stdin and stdout. */
import { Console } from 'node:console';
import { Command } from 'commander';
import { type CommonOptions, stopSignal, withCommon } from '../shared/context.ts';
import { configBeside } from '../shared/snapshot.ts';

export function mcpCommand(): Command {
  return withCommon(new Command('mcp'))
    .description(
      'serve check, plan, forecast, status, record and fleet to an AI assistant, by the Model Context Protocol on stdio; reads only',
    )
    .action(async (options: CommonOptions) => {
      // Whatever a library prints must not get between the messages.
      globalThis.console = new Console(process.stderr, process.stderr);
      const [{ serve }, { thisRelease }] = await Promise.all([import('../mcp/server.ts'), import('../../worker/releases/build-id.ts')]);
      await serve({
        version: thisRelease(),
        config: () => configBeside(options, { quiet: true }),
        log: (line) => void process.stderr.write(`${line}\n`),
        signal: stopSignal(),
      });
    });
}
