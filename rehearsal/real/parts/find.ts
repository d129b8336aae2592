/**
 * Where a real part is. As envtest does, KUBEBUILDER_ASSETS comes first: a folder with etcd and the programs of one minor, or with
 * subfolders `1.33` and `1.34` for those of two. Then the user's cache.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, toolsDirectory } from '../../processes/cache-dir.ts';
import { findOnPath, isExecutable } from '../../processes/programs.ts';
import { isControlPlane, type Part } from './table.ts';

const MODULES = fileURLToPath(new URL('../../../test/real/go', import.meta.url));
const HASH_LENGTH = 12;

/** The folder of a Go module of test/real/go. Throws where Belay is installed as a package, which has none. */
export function moduleFolder(name: string): string {
  const folder = join(MODULES, name);
  if (!existsSync(folder))
    throw new Error(`Real parts are built from ${join('test', 'real', 'go', name)}: run this from a checkout of Belay.`);
  return folder;
}

/** Path of the program; undefined where it has to be built. */
export function findPart(part: Part, env: NodeJS.ProcessEnv): string | undefined {
  const ours = [...assets(part, env), cachedPath(part, env)].find(isExecutable);
  return ours ?? (anyVersion(part) ? findOnPath(part.name, env) : undefined);
}

/** Where a build of the part is kept. Its folder changes with the source, so that an old build is never taken for a new one. */
export function cachedPath(part: Part, env: NodeJS.ProcessEnv): string {
  const { source, name } = part;
  if (name === 'helm') return join(toolsDirectory(env), name);
  return join(cacheDirectory(env), 'real', cacheFolder(source, name), name);
}

function cacheFolder(source: Part['source'], name: string): string {
  if (source.kind === 'install') return `${name}-${source.package.split('@')[1] ?? ''}`;
  if (source.kind === 'debian') return `${name}-debian`;
  const hash = createHash('sha256').update(source.ldflags ?? '');
  const folder = moduleFolder(source.folder);
  for (const file of readdirSync(folder).toSorted()) {
    if (/\.go$|^go\.(mod|sum)$/.test(file)) hash.update(file).update(readFileSync(join(folder, file)));
  }
  return `${source.folder}-${hash.digest('hex').slice(0, HASH_LENGTH)}`;
}

function assets(part: Part, env: NodeJS.ProcessEnv): string[] {
  const folder = env['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '' || !isControlPlane(part)) return [];
  const { name, minor } = part;
  const plain = join(folder, name);
  if (minor === undefined) return [plain];
  return [join(folder, minor, name), ...(isExecutable(plain) && hasMinor(plain, minor) ? [plain] : [])];
}

/** What people installed themselves counts where any version will do. */
const anyVersion = ({ name, source }: Part): boolean => source.kind === 'debian' || name === 'helm';

function hasMinor(program: string, minor: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes(`v${minor}.`);
}
