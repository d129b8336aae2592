/** Where a command's report goes: to the terminal, or into the file of --output. */
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { messageOf } from '../../domain/core/unknown.ts';
import { cannotWrite } from '../messages/arguments.ts';
import { writtenTo } from '../messages/outcomes.ts';
import { print, printText } from './context.ts';
import { CliError } from './errors.ts';

/** Says on stderr where it was written. Throws where it cannot be. Times are in the terminal's zone, but in a file, whoever reads that. */
export function writeReport({ output, format }: { output?: string; format: string }, text: string): void {
  if (output === undefined) return format === 'text' ? printText(text) : print(text);
  try {
    // Colours are for the terminal that this is started on, not for a file.
    writeFileSync(output, `${stripVTControlCharacters(text)}\n`);
  } catch (error) {
    throw new CliError(cannotWrite('--output', output, messageOf(error)));
  }
  process.stderr.write(`${writtenTo(output)}\n`);
}
