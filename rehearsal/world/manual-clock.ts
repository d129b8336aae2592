/** A world clock that stands still until it is stepped: tests and the warm-up before a scenario starts. */
import { WorldClock } from './clock.ts';

export class ManualClock extends WorldClock {
  #nowMs: number;
  readonly #startedAtMs: number;
  readonly #sleepers: { dueMs: number; wake: () => void }[] = [];

  constructor(options: { startsAt: string }) {
    super({ startsAt: options.startsAt, speed: 1 });
    this.#startedAtMs = Date.parse(options.startsAt);
    this.#nowMs = this.#startedAtMs;
  }

  override nowMs(): number {
    return this.#nowMs;
  }

  override elapsedMs(): number {
    return this.#nowMs - this.#startedAtMs;
  }

  override sleep(worldMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push({ dueMs: this.#nowMs + worldMs, wake: resolve });
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Moves world time on and wakes those whose time has come. */
  step(worldMs: number): void {
    this.#nowMs += worldMs;
    for (let index = this.#sleepers.length - 1; index >= 0; index -= 1) {
      const sleeper = this.#sleepers[index];
      if (sleeper === undefined || sleeper.dueMs > this.#nowMs) continue;
      this.#sleepers.splice(index, 1);
      sleeper.wake();
    }
  }
}
