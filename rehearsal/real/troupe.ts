/** Processes of real parts: each with a log, started again when it dies, and gone with the rehearsal. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment } from '../processes/environment.ts';
import { SupervisedProcess } from '../processes/supervised.ts';
import { Undertaker } from '../processes/undertaker.ts';

/** Some programs end themselves while the API server is away; they are given up only if they still do when it is back. */
const RESTART_AFTER_MS = 4_000;
const GRACE_MS = 4_000;

export interface TroupeOptions {
  /** For logs. */
  directory: string;
  say: (line: string) => void;
  /** A process cannot be kept alive. */
  onGivenUp: (error: Error) => void;
}

export interface Role {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

export class Troupe {
  readonly #options: TroupeOptions;
  readonly #undertaker = new Undertaker();
  readonly #processes = new Map<string, SupervisedProcess>();
  #closed = false;

  constructor(options: TroupeOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true });
  }

  /** A name that is running already is left alone. Throws when the play is over, so that nothing outlives it. */
  start({ name, command, args, env = {} }: Role): void {
    if (this.#closed) throw new Error(`${name} is not started: the rehearsal is over`);
    if (this.#processes.has(name)) return;
    const { directory, say, onGivenUp } = this.#options;
    const process_ = new SupervisedProcess({
      name,
      command,
      args,
      env: cleanEnvironment(process.env, env),
      cwd: directory,
      logFile: join(directory, `${name}.log`),
      undertaker: this.#undertaker,
      restartAfterMs: RESTART_AFTER_MS,
      onDeath: (how) => say(`${name} ${how}; it is started again`),
      onGivenUp,
    });
    this.#processes.set(name, process_);
    process_.start();
  }

  async stop(name: string): Promise<void> {
    const running = this.#processes.get(name);
    this.#processes.delete(name);
    await running?.stop(GRACE_MS);
  }

  /** The first started goes last: the others keep their state in it. */
  async close(): Promise<void> {
    this.#closed = true;
    const [first, ...others] = this.#processes.keys();
    await Promise.all(others.map((name) => this.stop(name)));
    if (first !== undefined) await this.stop(first);
    this.#undertaker.close();
  }
}
