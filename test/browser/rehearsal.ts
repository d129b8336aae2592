/** A rehearsal as people start it: the command in a process of its own, its addresses read from what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE } from '../support/eventually.ts';
import { PROGRAM } from '../support/program.ts';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;

export interface RunningRehearsal {
  pageUrl: string;
  temporalUi: string;
  /** Where it runs; its temporary files are there, too. */
  directory: string;
  /** Everything printed so far. */
  printed(): string;
  /** The exit code, when it has ended by itself. */
  ended: Promise<number | null>;
  /** Ctrl-C, as a person ends it. Resolves to the exit code when all its processes are gone. */
  stop(): Promise<number | null>;
}

/** Where people press the buttons. Rejects with what was printed when it does not come up. */
export async function startRehearsal({ scenario, speed }: { scenario: string; speed: number }): Promise<RunningRehearsal> {
  return await startRehearse('--auto', 'ask', '--scenario', scenario, '--speed', String(speed));
}

/** With these flags. */
export async function startRehearse(...flags: string[]): Promise<RunningRehearsal> {
  // Kept rehearsals lie in the working directory: a temporary one.
  const directory = mkdtempSync(join(tmpdir(), 'belay-browser-'));
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'rehearse', ...flags], {
    cwd: directory,
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
    const addresses = { pageUrl: address('channel') ?? '', temporalUi: address('Temporal UI') ?? '' };
    return { ...addresses, directory, printed: () => printed, ended: exited, stop };
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
