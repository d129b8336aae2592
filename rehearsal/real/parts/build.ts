/** Builds real parts into the user's cache, one at a time, and says how far it is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { killGroup } from '../../processes/undertaker.ts';
import { cachedPath, findPart, moduleFolder } from './find.ts';
import { type Part, partLabel } from './table.ts';

const TICK_MS = 20_000;
const LAST_WORDS = 300;

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
  const startedAt = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  say(`${partLabel(part)} …`);
  const ticker = setInterval(() => say(`${partLabel(part)}: still building, ${elapsed()}`), TICK_MS);
  try {
    const built = await make(part, work, env);
    renameSync(built, target);
    say(`${partLabel(part)}: built in ${elapsed()}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${partLabel(part)} cannot be built: ${why} ${wayOut(part)}`, { cause: error });
  } finally {
    clearInterval(ticker);
    rmSync(work, { recursive: true, force: true });
  }
}

/** Path of what was made, inside the work folder. */
async function make({ name, source }: Part, work: string, env: NodeJS.ProcessEnv): Promise<string> {
  const built = join(work, name);
  if (source.kind === 'module') {
    const flags = source.ldflags === undefined ? [] : ['-ldflags', source.ldflags];
    await run('go', ['build', '-trimpath', '-mod=readonly', ...flags, '-o', built, source.package], moduleFolder(source.folder), env);
    return built;
  }
  if (source.kind === 'install') {
    await run('go', ['install', source.package], work, { ...env, GOBIN: work });
    return join(work, source.program);
  }
  await run('apt-get', ['download', '-qq', source.package], work, env);
  const archive = readdirSync(work).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new Error(`apt-get brought no ${source.package}.`);
  await run('dpkg-deb', ['-x', archive, 'root'], work, env);
  copyFileSync(join(work, 'root', 'usr', 'bin', name), built);
  return built;
}

function wayOut({ source, name }: Part): string {
  if (source.kind === 'debian') return `Install ${name} so that it is on your PATH.`;
  return 'Install Go 1.26 or newer, or name a folder with the programs in KUBEBUILDER_ASSETS.';
}

/** Rejects with the command's last words. The child goes with this process. */
async function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child: ChildProcess = spawn('nice', ['-n', '10', command, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let last = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    last = (last + chunk).slice(-LAST_WORDS);
  });
  const stop = (): void => {
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
  };
  process.once('exit', stop);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(last.trim() === '' ? `exit code ${code}.` : last.trim()))));
    });
  } finally {
    process.off('exit', stop);
  }
}
