/** Ends child processes however their parent ends, SIGKILL included: a shell that waits for its stdin to close. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

const SCRIPT = `
pids=" "
while read -r op pid; do
  case "$op" in
    +) pids="$pids$pid " ;;
    -) pids=$(printf '%s' "$pids" | sed "s/ $pid / /") ;;
  esac
done
for pid in $pids; do kill -9 "-$pid" 2>/dev/null; done
`;

/** Children are leaders of their own process groups, so that a group goes as a whole. */
export class Undertaker {
  readonly #pids = new Set<number>();
  readonly #shell: ChildProcess;
  readonly #onExit = (): void => this.#killAll();

  constructor() {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
    // A pipe of a child is a socket, which the types do not say.
    if (this.#shell.stdin instanceof Socket) this.#shell.stdin.unref();
    process.on('exit', this.#onExit);
  }

  add(pid: number): void {
    this.#pids.add(pid);
    this.#shell.stdin?.write(`+ ${pid}\n`);
  }

  remove(pid: number): void {
    if (this.#pids.delete(pid)) this.#shell.stdin?.write(`- ${pid}\n`);
  }

  #killAll(): void {
    for (const pid of this.#pids) killGroup(pid, 'SIGKILL');
  }

  /** After all children have ended. */
  close(): void {
    this.#killAll();
    process.off('exit', this.#onExit);
    this.#shell.stdin?.end();
  }
}

/** A group that is gone is fine. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended before.
  }
}
