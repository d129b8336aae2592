/** A worker in a process of its own that is killed every so often, and started again at once. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { peakMbOf } from '../processes.ts';
import type { Answer, FromWorker } from './messages.ts';

const SCRIPT = fileURLToPath(new URL('worker.ts', import.meta.url));
/** Deaths in a row, none of which was asked for, before it has polled: while Temporal is away there are some. */
const MOST_DEATHS = 20;
const LOOK_MS = 1_000;

export interface KilledWorkerOptions {
  address: string;
  taskQueue: string;
  /** Performed here, for the worker. */
  activities: BelayActivities;
  /** From its first poll to its death; absent: it lives. */
  killEachMs?: number;
  /** It cannot be kept alive: with its last words. */
  onGivenUp: (error: Error) => void;
}

export class KilledWorker {
  /** SIGKILLs. */
  kills = 0;
  /** Highest resident memory of any of its lives, in MB. */
  peakMb = 0;
  readonly #options: KilledWorkerOptions;
  #child: ChildProcess | undefined;
  #killing: NodeJS.Timeout | undefined;
  #isStopped = false;
  #deaths = 0;

  constructor(options: KilledWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    const { address, taskQueue } = this.#options;
    const child = fork(SCRIPT, [address, taskQueue], { execArgv: ['--no-warnings'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child = child;
    let words = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => void (words = (words + chunk).slice(-2_000)));
    child.on('message', (message: FromWorker) => void this.#hear(child, message));
    const looking = setInterval(() => this.#look(), LOOK_MS);
    child.once('exit', (code, signal) => {
      clearInterval(looking);
      clearTimeout(this.#killing);
      if (this.#isStopped) return;
      this.#deaths = signal === 'SIGKILL' ? 0 : this.#deaths + 1;
      if (this.#deaths < MOST_DEATHS) return this.start();
      this.#options.onGivenUp(new Error(`The worker ended ${this.#deaths} times in a row (${signal ?? `exit code ${code}`}): ${words}`));
    });
  }

  /** SIGKILL: it ends nothing that it has begun. */
  kill(): void {
    this.#look();
    if (this.#child?.kill('SIGKILL') === true) this.kills += 1;
  }

  /** For good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.#look();
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async #hear(child: ChildProcess, message: FromWorker): Promise<void> {
    if (message.kind === 'polling') {
      this.#deaths = 0;
      const { killEachMs } = this.#options;
      // Not what one that is dead by now had to say.
      if (killEachMs !== undefined && child === this.#child) this.#killing = setTimeout(() => this.kill(), killEachMs);
      return;
    }
    const { id, name, input } = message;
    const activity = (this.#options.activities as unknown as Record<string, (input: unknown) => Promise<unknown>>)[name];
    const answer: Answer = await (activity?.(input) ?? Promise.reject(new Error(`nobody performs ${name}`))).then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, failed: messageOf(error) }),
    );
    // The one that asked may be dead by now, or dying: it hears no answer any more.
    if (child.connected && !child.killed) child.send(answer, () => undefined);
  }

  #look(): void {
    this.peakMb = Math.max(this.peakMb, peakMbOf(this.#child?.pid ?? 0));
  }
}
