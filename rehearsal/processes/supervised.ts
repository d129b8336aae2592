/** A child process that is started again whenever it dies, as an operator's supervisor would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { killGroup, type Undertaker } from './undertaker.ts';

export interface SupervisedOptions {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  logFile: string;
  undertaker: Undertaker;
  /** Wall milliseconds between a death and the next start. */
  restartAfterMs: number;
  onStart?: (pid: number) => void;
  onDeath?: (how: string) => void;
  /** It cannot be kept alive: the message has its last words. */
  onGivenUp: (error: Error) => void;
}

const QUICK_MS = 5_000;
/** After this many deaths in a row shortly after their start, it is given up. */
const MAX_QUICK_DEATHS = 3;
const LAST_LINES = 3;

export class SupervisedProcess {
  readonly #options: SupervisedOptions;
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;
  #quickDeaths = 0;

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  /** Also after a stop. */
  start(): void {
    this.#stopping = false;
    const { command, args, env, cwd, logFile, undertaker } = this.#options;
    const log = openSync(logFile, 'a');
    const startedAt = performance.now();
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    this.#child = child;
    child.once('error', (error) => this.#died(`cannot be started: ${error.message}`, 0));
    if (child.pid === undefined) return;
    const { pid } = child;
    undertaker.add(pid);
    this.#options.onStart?.(pid);
    child.once('exit', (code, signal) => {
      undertaker.remove(pid);
      this.#died(
        signal === null ? `ended with code ${code}` : `was ended by ${signal}`,
        performance.now() - startedAt,
        signal === 'SIGKILL',
      );
    });
  }

  /** SIGKILL; the supervisor starts it again. False: it was not running. */
  kill(): boolean {
    if (this.#child?.pid === undefined) return false;
    killGroup(this.#child.pid, 'SIGKILL');
    return true;
  }

  /** SIGTERM, and SIGKILL after `graceMs`. Not started again. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { pid } = child;
    const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    killGroup(pid, 'SIGTERM');
    const hurry = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
    await ended;
    clearTimeout(hurry);
  }

  /** Last lines of the log. */
  #lastWords(): string {
    try {
      return readFileSync(this.#options.logFile, 'utf8').trim().split('\n').slice(-LAST_LINES).join('\n');
    } catch {
      return '';
    }
  }

  #died(how: string, livedMs: number, killed = false): void {
    this.#child = undefined;
    if (this.#stopping) return;
    this.#options.onDeath?.(how);
    this.#quickDeaths = livedMs < QUICK_MS && !killed ? this.#quickDeaths + 1 : 0;
    if (this.#quickDeaths >= MAX_QUICK_DEATHS) {
      this.#options.onGivenUp(
        new Error(`${this.#options.name} ${how} ${this.#quickDeaths} times in a row; its last words: ${this.#lastWords()}`),
      );
      return;
    }
    this.#restart = setTimeout(() => this.start(), this.#options.restartAfterMs);
  }
}
