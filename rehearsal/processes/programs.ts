/** Programs of other people: where they are, and running one to its end. */
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { killGroup } from './undertaker.ts';

const LAST_WORDS = 300;
const TICK_MS = 20_000;

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The first program of that name on PATH. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Behind all that people wait for. Rejects with the command's last words. The child goes with this process. */
export async function runToEnd(command: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd?: string }): Promise<void> {
  const child = spawn('nice', ['-n', '10', command, ...args], { ...options, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let last = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (last = (last + chunk).slice(-LAST_WORDS)));
  const stop = (): void => {
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
  };
  process.once('exit', stop);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(last.trim() || `exit code ${code}`))));
    });
  } finally {
    process.off('exit', stop);
  }
}

/** Says every 20 s how long it has taken so far, and returns that time as text. */
export async function saysHowLong(work: Promise<void>, say: (elapsed: string) => void): Promise<string> {
  const startedAt = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const ticker = setInterval(() => say(elapsed()), TICK_MS);
  try {
    await work;
    return elapsed();
  } finally {
    clearInterval(ticker);
  }
}
