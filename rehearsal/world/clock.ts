/** World time: starts at a fixed date and runs `speed` times faster than the wall. */
export class WorldClock {
  readonly speed: number;
  readonly #startedAtWorldMs: number;
  readonly #startedAtWallMs: number;

  constructor(options: { startsAt: string; speed: number }) {
    this.speed = options.speed;
    this.#startedAtWorldMs = Date.parse(options.startsAt);
    this.#startedAtWallMs = performance.now();
  }

  /** World time now, in epoch milliseconds. */
  nowMs(): number {
    return this.#startedAtWorldMs + (performance.now() - this.#startedAtWallMs) * this.speed;
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /** World milliseconds since the start. */
  elapsedMs(): number {
    return this.nowMs() - this.#startedAtWorldMs;
  }

  /** Wall milliseconds that a world duration takes. */
  wallMs(worldMs: number): number {
    return worldMs / this.speed;
  }
}
