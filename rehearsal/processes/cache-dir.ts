/** Where tools that the rehearsal needs are kept between runs. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `<user cache dir>/belay`. */
export function cacheDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const home = env['HOME'] || homedir();
  const cache = platform === 'darwin' ? join(home, 'Library', 'Caches') : env['XDG_CACHE_HOME'] || join(home, '.cache');
  return join(cache, 'belay');
}

/** `<user cache dir>/belay/bin`. */
export function toolsDirectory(env: NodeJS.ProcessEnv, platform?: NodeJS.Platform): string {
  return join(cacheDirectory(env, platform), 'bin');
}
