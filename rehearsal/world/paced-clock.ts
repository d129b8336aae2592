/** A world clock that waits for its worlds: on a machine that cannot keep up, time passes more slowly instead of leaving controllers behind. */
import { WorldClock } from './clock.ts';

/** Wall time. */
const PULSE_MS = 10;
/** Of a pulse that comes late, only so much counts: as long as controllers need from one tick to the next. */
const COUNTS_AT_MOST_MS = 25;

export class PacedClock extends WorldClock {
  readonly #startsAtMs: number;
  readonly #pulse: NodeJS.Timeout;
  /** Wall milliseconds that have counted before the last pulse, and when that was. */
  #countedMs = 0;
  #pulsedAt = performance.now();

  constructor(options: { startsAt: string; speed: number }) {
    super(options);
    this.#startsAtMs = Date.parse(options.startsAt);
    this.#pulse = setInterval(() => {
      this.#countedMs += this.#sinceMs();
      this.#pulsedAt = performance.now();
    }, PULSE_MS).unref();
  }

  override nowMs(): number {
    return this.#startsAtMs + (this.#countedMs + this.#sinceMs()) * this.speed;
  }

  close(): void {
    clearInterval(this.#pulse);
  }

  #sinceMs(): number {
    return Math.min(performance.now() - this.#pulsedAt, COUNTS_AT_MOST_MS);
  }
}
