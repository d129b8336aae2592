/** Finds the Temporal CLI as the product does: TEMPORAL_CLI_PATH, PATH, Belay's cache folder. */
import { join } from 'node:path';
import { toolsDirectory } from '../../rehearsal/processes/cache-dir.ts';
import { findOnPath, isExecutable } from '../../rehearsal/processes/programs.ts';

export function temporalCli(): string {
  const cached = join(toolsDirectory(process.env), 'temporal');
  const found = process.env['TEMPORAL_CLI_PATH'] || findOnPath('temporal', process.env) || cached;
  if (isExecutable(found)) return found;
  throw new Error('The Temporal CLI was not found: `npm test` installs it first; else set TEMPORAL_CLI_PATH.');
}
