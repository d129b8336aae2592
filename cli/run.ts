/** Runs `belay`: parses, runs, and turns errors into a line on stderr and an exit code. */
import { type Command, CommanderError } from 'commander';
import { EXIT, exitCodeOf, renderError } from './shared/errors.ts';
import { inLocalTime } from './shared/local-time.ts';
import { programFor } from './program.ts';

const END_LIMIT_MS = 500;

/** `argv` as the process has it: Node, the script, then the words of the command. `load`: gives the program for those words. */
export async function run(argv: readonly string[], load: (words: string[]) => Promise<Command> = programFor): Promise<void> {
  const program = await load(argv.slice(2));
  for (const command of [program, ...program.commands]) command.exitOverride();
  let exitCode: number = EXIT.ok;
  // A reader that has seen enough, such as head, is no failure: the rest is done, for its exit code, except by what follows (stoppable).
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  try {
    await program.parseAsync([...argv.slice(0, 2), ...helpOf(program, argv.slice(2))]);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said it already: 0 for help and version, anything else is a wrong argument.
      exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.couldNotRun;
    } else {
      process.stderr.write(`${inLocalTime(renderError(error, argv.includes('--debug')))}\n`);
      exitCode = exitCodeOf(error);
    }
  }
  // Pipes are written asynchronously: what was printed has to be out before the end.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  process.exitCode = exitCode;
  // Not process.exit() at once: where V8 still compiles in the background and wants a collection for it, Node joins that thread for ever
  // (https://github.com/nodejs/node/issues/54918). Whoever closes what it opens ends here; nothing else is waited for longer than this.
  setTimeout(() => process.exit(), END_LIMIT_MS).unref();
}

/**
 * `help campaign start` as `campaign start --help`. Commander shows the help of the group for it, and for a command that there is not, all commands without
 * a word.
 */
function helpOf(program: Command, words: readonly string[]): readonly string[] {
  const [first, ...path] = words.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || path.length === 0) return words;
  const known: string[] = [];
  let at = program;
  for (const word of path) {
    const next = at.commands.find((command) => command.name() === word || command.aliases().includes(word));
    // Alone it runs nothing, and Commander says that it is unknown.
    if (next === undefined && at === program) return [word];
    if (next === undefined) break;
    known.push(word);
    at = next;
  }
  return [...known, '--help'];
}
