/** Runs the `belay` command on a terminal of its own, made by util-linux's `script`, and answers what it asks. */
import { spawn } from 'node:child_process';
import { PATIENCE } from '../support/eventually.ts';
import { PROGRAM } from '../support/program.ts';

export interface TerminalRun {
  code: number | null;
  /** All that is on the screen: what was typed as well. */
  screen: string;
}

/** `answers`: typed once the screen shows "[y/N]". Killed after two minutes. */
export function onTerminal(
  args: string[],
  { answers, cwd, env }: { answers: string; cwd: string; env: Record<string, string> },
): Promise<TerminalRun> {
  const quoted = [process.execPath, '--no-warnings', PROGRAM, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('script', ['-q', '-e', '-c', quoted.join(' '), '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', AWS_EC2_METADATA_DISABLED: 'true', TERM: 'dumb', TZ: 'UTC', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const run: TerminalRun = { code: null, screen: '' };
  let hasAnswered = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    run.screen += chunk;
    if (hasAnswered || !run.screen.includes('[y/N] ')) return;
    hasAnswered = true;
    child.stdin.write(answers);
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 120_000 * PATIENCE);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ screen: run.screen.replaceAll(/\r+\n/g, '\n'), code });
    });
  });
}
