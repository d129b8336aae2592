/** An interactive rehearsal as people start it: the command in a process of its own, its addresses read from what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from '../support/eventually.ts';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;

export interface RunningRehearsal {
  pageUrl: string;
  temporalUi: string;
  /** Everything printed so far. */
  printed(): string;
  /** Ctrl-C, as a person ends it. Resolves to the exit code when all its processes are gone. */
  stop(): Promise<number | null>;
}

/** Rejects with what was printed when it does not come up. */
export async function startRehearsal(options: { scenario: string; speed: number }): Promise<RunningRehearsal> {
  // Kept rehearsals lie in the working directory: a temporary one.
  const directory = mkdtempSync(join(tmpdir(), 'belay-browser-'));
  const args = [MAIN, 'rehearse', '--auto', 'ask', '--scenario', options.scenario, '--speed', String(options.speed)];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const keep = (chunk: Buffer): void => void (printed += chunk.toString('utf8'));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const stop = async (): Promise<number | null> => {
    const code = await end(child, exited);
    rmSync(directory, { recursive: true, force: true });
    return code;
  };
  try {
    const address = (label: string): string | undefined => new RegExp(`${label}:\\s+(http://127\\.0\\.0\\.1:\\d+\\S*)`).exec(printed)?.[1];
    await until(() => address('channel') !== undefined && address('Temporal UI') !== undefined, child);
    return { pageUrl: address('channel') ?? '', temporalUi: address('Temporal UI') ?? '', printed: () => printed, stop };
  } catch (error) {
    await stop();
    throw new Error(`The rehearsal did not come up; it printed:\n${printed}`, { cause: error });
  }
}

async function until(condition: () => boolean, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + START_LIMIT_MS * PATIENCE;
  while (!condition()) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    if (performance.now() > endMs) throw new Error(`no addresses within ${START_LIMIT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The rehearsal ends its own children; SIGKILL only where it does not. */
async function end(child: ChildProcess, exited: Promise<number | null>): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill('SIGINT');
  const hurry = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const code = await exited;
  clearTimeout(hurry);
  return code;
}
