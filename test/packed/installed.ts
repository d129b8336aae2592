/** Packs Belay and installs the tarball in an empty folder, as `npm install eks-belay` does. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Packed {
  tarball: string;
  /** Paths in it. */
  files: string[];
}

/** Throws with what npm said. */
export function pack(folder: string): Packed {
  // The last line is the tarball's name: what prepack prints stands before it.
  const name = run('npm', ['pack', '--pack-destination', folder], root).trim().split('\n').at(-1) ?? '';
  const tarball = join(folder, name);
  const files = run('tar', ['-tzf', tarball], folder).trim().split('\n');
  return { tarball, files: files.map((path) => path.replace(/^package\//, '')) };
}

/** With what the package says that it needs, from the npm registry, and nothing else. Gives the path of the command. */
export function install(tarball: string, folder: string): string {
  run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', tarball], folder);
  return join(folder, 'node_modules', '.bin', 'belay');
}

/** What it has printed. Throws with that where it fails. */
export function run(program: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}
