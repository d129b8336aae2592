/** So much a person may ask for in a while: what one repeats without end must not use up what Slack and Temporal answer everybody. */

interface Options {
  /** Taken at once before anything is refused. */
  burst: number;
  /** After so long one more is taken. */
  everyMs: number;
  nowMs?: () => number;
}

/** People told apart; a workspace has fewer who act at a time. */
const MAX_PEOPLE = 10_000;

export class Throttle {
  readonly #options: Options;
  /** When everything that was taken will have been paid off. */
  readonly #paidAtMs = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** 0: taken. Else the time in milliseconds after which the person may try again. */
  take(person: string): number {
    const { burst, everyMs, nowMs = Date.now } = this.#options;
    const now = nowMs();
    const paidAt = Math.max(this.#paidAtMs.get(person) ?? 0, now);
    const waitMs = paidAt - now - (burst - 1) * everyMs;
    if (waitMs > 0) return waitMs;
    this.#paidAtMs.delete(person);
    this.#paidAtMs.set(person, paidAt + everyMs);
    const [oldest] = this.#paidAtMs.keys();
    if (this.#paidAtMs.size > MAX_PEOPLE && oldest !== undefined) this.#paidAtMs.delete(oldest);
    return 0;
  }
}
