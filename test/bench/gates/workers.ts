/** Two workers in processes of their own; one that is killed is replaced. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('worker.ts', import.meta.url));

export class Workers {
  readonly #args: [address: string, taskQueue: string];
  readonly #nodeOptions: readonly string[];
  readonly #children = new Map<number, ChildProcess>();

  /** `nodeOptions`: of the node command. */
  constructor(address: string, taskQueue: string, nodeOptions: readonly string[] = []) {
    this.#args = [address, taskQueue];
    this.#nodeOptions = nodeOptions;
  }

  /** Resolves when it polls. */
  async add(): Promise<void> {
    const child = spawn(process.execPath, [...this.#nodeOptions, '--no-warnings', SCRIPT, ...this.#args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`A worker ended with code ${String(code)} before it polled`)));
    });
    if (child.pid !== undefined) this.#children.set(child.pid, child);
  }

  get pids(): number[] {
    return [...this.#children.keys()];
  }

  /** By the identity that Temporal knows: `PID@HOST`. */
  async kill(identity: string): Promise<void> {
    const pid = Number(identity.split('@')[0]);
    const child = this.#children.get(pid);
    if (child === undefined) throw new RangeError(`${identity} is none of these workers`);
    this.#children.delete(pid);
    await ended(child, 'SIGKILL');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children.values()].map((child) => ended(child, 'SIGKILL')));
  }
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
