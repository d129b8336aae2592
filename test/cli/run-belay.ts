/** Runs the `belay` command as a person would, in a process of its own. */
import { spawn } from 'node:child_process';
import { PATIENCE } from '../support/eventually.ts';
import { PROGRAM } from '../support/program.ts';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  limitMs?: number;
  /** Default: support/program.ts. */
  main?: string;
  /** Told as it prints: all of standard output so far. */
  onPrint?: (stdout: string) => void;
  /** Options of Node. */
  nodeOptions?: string[];
}

/** Without inherited AWS_*, SLACK_*, TEMPORAL_* and BELAY_* variables. Killed after `limitMs`. */
export function runBelay(args: string[], options: RunOptions = {}): Promise<Ran> {
  const clean = Object.entries(process.env).filter(([name]) => !/^(AWS_|SLACK_|TEMPORAL_|BELAY_|KUBECONFIG)/.test(name));
  const env = {
    ...Object.fromEntries(clean),
    NO_COLOR: '1',
    AWS_EC2_METADATA_DISABLED: 'true',
    HOME: options.cwd ?? process.env['HOME'],
    ...options.env,
  };
  const command = ['--no-warnings', ...(options.nodeOptions ?? []), options.main ?? PROGRAM, ...args];
  const child = spawn(process.execPath, command, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    ran.stdout += chunk;
    options.onPrint?.(ran.stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (ran.stderr += chunk));
  const limit = setTimeout(() => child.kill('SIGKILL'), (options.limitMs ?? 30_000) * PATIENCE);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ ...ran, code });
    });
  });
}
