/** A world clock that stands still until everything that is real has come up. */
import { WorldClock } from './clock.ts';

export class HeldClock extends WorldClock {
  readonly #startsAtMs: number;
  #releasedAt: number | undefined;

  constructor(options: { startsAt: string; speed: number }) {
    super(options);
    this.#startsAtMs = Date.parse(options.startsAt);
  }

  override nowMs(): number {
    return this.#releasedAt === undefined ? this.#startsAtMs : this.#startsAtMs + (performance.now() - this.#releasedAt) * this.speed;
  }

  /** World time runs from now on. */
  release(): void {
    this.#releasedAt ??= performance.now();
  }
}
