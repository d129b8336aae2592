/** Belay on a Temporal of production: whole rehearsals in this process, and its commands in processes of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Rehearsed, rehearsed } from '../../end-to-end/support/rehearsal.ts';
import { cleanEnvironment } from '../../../rehearsal/processes/environment.ts';
import type { Variables } from './temporal.ts';
import { PROGRAM } from '../../support/program.ts';

const LIMIT_MS = 200_000;

/** A rehearsal on a server of somebody else, which is told by the environment only: as people do it. */
export const rehearsedOn = (temporal: Variables, options: Parameters<typeof rehearsed>[0]): Promise<Rehearsed> =>
  withVariables(temporal, () => rehearsed(options));

/** What reads this process's environment, with these in it. */
export async function withVariables<T>(temporal: Variables, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, temporal);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(temporal)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

export interface Command {
  /** What it has written to stderr, where its log goes as well. */
  log(): string;
  /** Exit code; null where it was ended by a signal, as it is after some minutes. */
  ended: Promise<number | null>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Beside a belay.yaml with one cluster, which nothing here asks for. `temporal`: TEMPORAL_* of its environment. */
export function runBelay(args: readonly string[], temporal: Variables): Command {
  const directory = mkdtempSync(join(tmpdir(), 'belay-production-'));
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, ...args], {
    cwd: directory,
    env: cleanEnvironment(process.env, { AWS_EC2_METADATA_DISABLED: 'true', NO_COLOR: '1', HOME: directory, ...temporal }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const dies = (): void => void child.kill('SIGKILL');
  process.once('exit', dies);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      process.off('exit', dies);
      rmSync(directory, { recursive: true, force: true });
      resolve(code);
    });
  });
  return {
    log: () => log,
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
