/** Where a command's report goes: to the terminal, or into the file of --output. */
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { messageOf } from '../../domain/core/unknown.ts';
import { cannotWrite } from '../messages/arguments.ts';
import { writtenTo } from '../messages/outcomes.ts';
import { print, printText, say } from './context.ts';
import { CliError } from './errors.ts';

/** Says on stderr where it was written. Throws where it cannot be. Times are in the terminal's zone, but in a file, whoever reads that. */
export function writeReport({ output, format }: { output?: string; format: string }, text: string): void {
  if (output === undefined) return format === 'text' ? printText(text) : print(text);
  // Colours are for the terminal that this is started on, not for a file.
  const plainText = stripVTControlCharacters(text);
  writeOutput('--output', output, plainText.endsWith('\n') ? plainText : `${plainText}\n`);
}

/** As it is, to the file that an option names. Says on stderr where. Throws a CliError where it cannot be written. */
export function writeOutput(option: string, file: string, content: string | Uint8Array): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new CliError(cannotWrite(option, file, messageOf(error)));
  }
  say(writtenTo(file));
}

/** Before what takes minutes: throws a CliError where its result could not be written. Writes nothing yet. */
export function refuseUnwritable(option: string, file: string | undefined): void {
  if (file === undefined) return;
  try {
    if (existsSync(file) && statSync(file).isDirectory()) throw new Error('it is a folder');
    accessSync(existsSync(file) ? file : dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new CliError(cannotWrite(option, file, messageOf(error)));
  }
}

/** What files of a format are called. */
const FORMAT_OF_FILE: Record<string, string> = {
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
  '.md': 'markdown',
  '.png': 'png',
  '.xml': 'junit',
};

/**
 * A command with --output and --format: the name of the file says the format where none is given, as in `-o report.html`. A file that cannot be
 * written is refused before anything is read.
 */
export function formatByFile(command: Command, formats: readonly string[]): Command {
  return command.hook('preAction', (_command, action) => {
    const output: unknown = action.getOptionValue('output');
    if (typeof output !== 'string') return;
    refuseUnwritable('--output', output);
    if (action.getOptionValueSource('format') !== 'default') return;
    const format = FORMAT_OF_FILE[extname(output).toLowerCase()];
    if (format !== undefined && formats.includes(format)) action.setOptionValueWithSource('format', format, 'implied');
  });
}
