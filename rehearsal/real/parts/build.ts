/** Builds real parts into the user's cache, one at a time, and says how far it is. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../domain/core/unknown.ts';
import { runToEnd, saysHowLong } from '../../processes/programs.ts';
import { cachedPath, findPart, moduleFolder } from './find.ts';
import { isControlPlane, type Part, partLabel } from './table.ts';

export interface BuildOptions {
  env: NodeJS.ProcessEnv;
  /** Progress for people. */
  say: (line: string) => void;
}

/** Paths by part, with what is missing built. Throws an error that names the part and what would help. */
export async function provideParts(parts: readonly Part[], { env, say }: BuildOptions): Promise<Map<Part, string>> {
  const missing = parts.filter((part) => findPart(part, env) === undefined);
  const minutes = missing.reduce((sum, part) => sum + part.minutes, 0);
  if (missing.length > 0) say(`Building ${missing.length} real parts, once; about ${minutes} minutes on two cores.`);
  for (const [index, part] of missing.entries()) {
    await buildPart(part, { env, say: (line) => say(`[${index + 1} of ${missing.length}] ${line}`) });
  }
  return new Map(parts.map((part) => [part, findPart(part, env) ?? cachedPath(part, env)]));
}

async function buildPart(part: Part, { env, say }: BuildOptions): Promise<void> {
  const target = cachedPath(part, env);
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), '.build-'));
  say(`${partLabel(part)} …`);
  try {
    const built = make(part, work, env).then((path) => renameSync(path, target));
    const took = await saysHowLong(built, (elapsed) => say(`${partLabel(part)}: still building, ${elapsed}`));
    say(`${partLabel(part)}: built in ${took}`);
  } catch (error) {
    const why = messageOf(error);
    throw new Error(`${partLabel(part)} cannot be built: ${why} ${wayOut(part)}`, { cause: error });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Path of what was made, inside the work folder. */
async function make({ name, source }: Part, work: string, env: NodeJS.ProcessEnv): Promise<string> {
  const built = join(work, name);
  if (source.kind === 'module') {
    const flags = source.ldflags === undefined ? [] : ['-ldflags', source.ldflags];
    await runToEnd('go', ['build', '-trimpath', '-mod=readonly', ...flags, '-o', built, source.package], {
      cwd: moduleFolder(source.folder),
      env,
    });
    return built;
  }
  if (source.kind === 'install') {
    await runToEnd('go', ['install', source.package], { cwd: work, env: { ...env, GOBIN: work } });
    return join(work, source.program);
  }
  await runToEnd('apt-get', ['download', '-qq', source.package], { cwd: work, env });
  const archive = readdirSync(work).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new Error(`apt-get brought no ${source.package}.`);
  await runToEnd('dpkg-deb', ['-x', archive, 'root'], { cwd: work, env });
  copyFileSync(join(work, 'root', 'usr', 'bin', name), built);
  return built;
}

function wayOut(part: Part): string {
  if (part.source.kind === 'debian') return `Install ${part.name} so that it is on your PATH.`;
  if (!isControlPlane(part)) return 'Install Go 1.26 or newer.';
  return 'Install Go 1.26 or newer, or name a folder with the programs in KUBEBUILDER_ASSETS.';
}
