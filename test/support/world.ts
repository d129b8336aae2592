/** `belay rehearse --world-only` in a process of its own: stand-ins for any client, until they are told to go. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoints } from '../../rehearsal/world/core/endpoints.ts';
import { PATIENCE } from './eventually.ts';
import { PROGRAM } from './program.ts';

const START_LIMIT_MS = 60_000;

export interface RunningWorld {
  endpoints: Endpoints;
  /** Resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Its files lie in `directory`. `main`: the command, from the sources unless said. */
export async function startWorld(directory: string, scenario: string, main = PROGRAM): Promise<RunningWorld> {
  const file = join(directory, 'endpoints.json');
  const args = ['--no-warnings', main, 'rehearse', '--scenario', scenario, '--world-only', '--endpoints', file];
  const child = spawn(process.execPath, args, { cwd: directory, env: { ...process.env, TMPDIR: directory }, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => void child.once('exit', (code) => resolve(code)));
  const stop = (): Promise<number | null> => {
    child.kill('SIGINT');
    return ended;
  };
  const limitMs = performance.now() + START_LIMIT_MS * PATIENCE;
  let endpoints: Endpoints | undefined;
  while ((endpoints = readEndpoints(file)) === undefined) {
    if (performance.now() > limitMs || child.exitCode !== null) {
      await stop();
      throw new Error(`the world of ${scenario} did not come up`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { endpoints, stop };
}

/** undefined: not there, or not all of it yet. */
function readEndpoints(file: string): Endpoints | undefined {
  try {
    const endpoints: Endpoints = JSON.parse(readFileSync(file, 'utf8'));
    return endpoints;
  } catch {
    return undefined;
  }
}
