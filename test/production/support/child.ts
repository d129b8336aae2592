/** A process that a test starts, ends by its id, and starts again itself; it goes when the test's process goes. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { killGroup, type Undertaker } from '../../../rehearsal/processes/undertaker.ts';

const GRACE_MS = 15_000;
const LAST_LINES = 15;

export interface ChildOptions {
  command: string;
  args: readonly string[];
  env: Record<string, string | undefined>;
  cwd?: string;
  /** Output is added to it. */
  logFile: string;
  undertaker: Undertaker;
  /** As another user; this process must be root. */
  owner?: { uid: number; gid: number } | undefined;
}

export interface Child {
  /** Throws with its last words where it has ended by itself. */
  orThrow(): Child;
  /** Resolves when it has ended; SIGKILL after 15 s. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export function startChild({ command, args, env, cwd, logFile, undertaker, owner }: ChildOptions): Child {
  const log = openSync(logFile, 'a');
  const process = spawn(command, [...args], { env, cwd, ...owner, stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const { pid } = process;
  let how: string | undefined;
  if (pid !== undefined) undertaker.add(pid);
  const ended = new Promise<void>((resolve) => {
    const over = (words: string): void => {
      how = words;
      if (pid !== undefined) undertaker.remove(pid);
      resolve();
    };
    process.once('error', (error) => over(error.message));
    process.once('exit', (code, signal) => over(signal ?? `exit code ${code}`));
  });
  const child: Child = {
    orThrow() {
      if (how === undefined) return child;
      const words = readFileSync(logFile, 'utf8').trim().split('\n').slice(-LAST_LINES).join('\n');
      throw new Error(`${command} has ended (${how}):\n${words}`);
    },
    async end(signal) {
      if (how !== undefined || pid === undefined) return;
      killGroup(pid, signal);
      const hurry = setTimeout(() => killGroup(pid, 'SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(hurry);
    },
  };
  return child;
}
