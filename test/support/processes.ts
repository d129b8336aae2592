/** Processes of this machine, told by their arguments. */
import { execFileSync } from 'node:child_process';

/** Command lines that name the directory. */
export function processesOf(directory: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(directory));
}
