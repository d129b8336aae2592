/** One run of a program: how long it takes, and how much memory it has at most. */
import { spawn } from 'node:child_process';
import { peakMbOf } from '../processes.ts';

const LOOK_MS = 10;

export interface Run {
  wallMs: number;
  /** Highest resident memory. The kernel keeps it, so that only what is added in the last few milliseconds is missed. */
  peakMb: number;
  stdout: string;
}

export interface Program {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Exit codes that are no failure. */
  accepted: readonly number[];
}

/** Rejects with what the program says on stderr where it ends otherwise than accepted. */
export function run({ command, args, env, cwd, accepted }: Program): Promise<Run> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let peakMb = 0;
    const looking = setInterval(() => (peakMb = Math.max(peakMb, peakMbOf(child.pid ?? 0))), LOOK_MS);
    child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => void err.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      const wallMs = performance.now() - startedAt;
      clearInterval(looking);
      if (code !== null && accepted.includes(code)) resolve({ wallMs, peakMb, stdout: Buffer.concat(out).toString() });
      else reject(new Error(`${command} ended with ${code}: ${Buffer.concat(err).toString().slice(-2000)}`));
    });
  });
}
