/** Finds the Temporal CLI as the product does: TEMPORAL_CLI_PATH, PATH, Belay's cache folder. */
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export function temporalCli(): string {
  const cache =
    process.env['XDG_CACHE_HOME'] ?? (process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache'));
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  const candidates = [process.env['TEMPORAL_CLI_PATH'], ...onPath, join(cache, 'belay', 'bin', 'temporal')];
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
