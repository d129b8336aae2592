/** A world clock that stands still until it is stepped: tests and the warm-up before a scenario starts. */
import { WorldClock } from './clock.ts';

export class ManualClock extends WorldClock {
  #nowMs: number;

  constructor({ startsAt }: { startsAt: string }) {
    super({ startsAt, speed: 1 });
    this.#nowMs = Date.parse(startsAt);
  }

  override nowMs(): number {
    return this.#nowMs;
  }

  /** Moves world time on. */
  step(worldMs: number): void {
    this.#nowMs += worldMs;
  }
}
