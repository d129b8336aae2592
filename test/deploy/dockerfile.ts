/** deploy/Dockerfile, and the packages that its image has. */
import { z } from 'zod';
import { textOf } from './files.ts';

/** Instructions, each on one line, without comments. */
export const dockerfileLines: readonly string[] = textOf('deploy/Dockerfile')
  .replaceAll(/\s*\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const packageShape = z.object({ dev: z.boolean().optional(), cpu: z.array(z.string()).optional(), libc: z.array(z.string()).optional() });

/** By their paths, developers' included. */
export const { packages: lockedPackages } = z
  .object({ packages: z.record(z.string(), packageShape) })
  .parse(JSON.parse(textOf('package-lock.json')));

/** What `npm ci --omit=dev` installs. */
export const installedPackages = Object.entries(lockedPackages).filter(([path, { dev }]) => path !== '' && dev !== true);
