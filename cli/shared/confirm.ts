/** Asks once, on a terminal, before a command does what cannot be taken back, or posts. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { nothingSent } from '../messages/outcomes.ts';
import { asksOnce, withoutAsking, yesOrNo } from '../messages/questions.ts';
import { withoutControls } from './controls.ts';
import type { Terminal } from './ask-which.ts';
import { CliError, EXIT } from './errors.ts';
import { inLocalTime } from './local-time.ts';

export interface YesOptions {
  yes?: boolean;
}

export interface Question {
  /** What will happen, and what can be undone. */
  lines: readonly string[];
  /** A question that yes or no answers. */
  asks: string;
}

/** Option --yes. */
export function withYes(command: Command): Command {
  return command.option('-y, --yes', withoutAsking());
}

/** Option --yes, and what the command does without it. */
export function withQuestion(command: Command): Command {
  return withYes(command).addHelpText('after', `\n${asksOnce()}`);
}

/** undefined: nobody is there to be asked. Questions go to stderr, as stdout is what a command is asked for. */
export function terminalOf(): Terminal | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : undefined;
}

/** `question` is read only where somebody is asked. Throws a CliError where the answer is not yes. */
export async function confirmFirst(
  { yes }: YesOptions,
  question: () => Question | Promise<Question>,
  terminal: Terminal | undefined = terminalOf(),
): Promise<void> {
  if (yes === true || terminal === undefined) return;
  const { lines, asks } = await question();
  for (const line of lines) terminal.output.write(`${inLocalTime(withoutControls(line))}\n`);
  await askYes(yesOrNo(asks), terminal);
}

/** `prompt`: with its "[y/N] ". Throws a CliError where the answer is not yes, or the input ends before. */
export async function askYes(prompt: string, { input, output }: Terminal): Promise<void> {
  const terminal = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const typed = await Promise.race([terminal.question(withoutControls(prompt)), ended]).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(typed.trim())) throw new CliError(nothingSent(), EXIT.refused);
}
