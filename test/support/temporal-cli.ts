/** Finds the Temporal CLI as the product does: TEMPORAL_CLI_PATH, PATH, Belay's cache folder. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { toolsDirectory } from '../../rehearsal/processes/cache-dir.ts';

export function temporalCli(): string {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  const candidates = [process.env['TEMPORAL_CLI_PATH'], ...onPath, join(toolsDirectory(process.env), 'temporal')];
  for (const candidate of candidates) {
    if (candidate === undefined || candidate === '') continue;
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // The next place.
    }
  }
  throw new Error('The Temporal CLI was not found: run `npm run temporal:install`, or set TEMPORAL_CLI_PATH.');
}
