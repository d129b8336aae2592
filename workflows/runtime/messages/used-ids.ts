/** Ids of messages that a workflow has taken: whoever holds a recorded message can send it again, and it changes nothing. */

/** People send dozens in a run. Beyond this nothing is taken any more, rather than an id forgotten. */
const MOST = 5_000;

export const REPEATED = 'This message was received before, so nothing was changed.';

export class UsedIds {
  readonly #ids: Set<string>;

  /** `taken`: by the run that this one goes on from. */
  constructor(taken: readonly string[] = []) {
    this.#ids = new Set(taken);
  }

  /** For the run that goes on from this one, whose signed messages name the first of them all. */
  get taken(): string[] {
    return [...this.#ids];
  }

  /** Before anything is read: a repeated one costs nothing. */
  has(kind: string, id: string | undefined): boolean {
    return id !== undefined && this.#ids.has(keyOf(kind, id));
  }

  /** Whether it is new; from now on it is not. Asked only of messages whose sender is proved: nobody else's may use ids up. */
  take(kind: string, id: string | undefined): boolean {
    if (id === undefined || this.has(kind, id) || this.#ids.size >= MOST) return false;
    this.#ids.add(keyOf(kind, id));
    return true;
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
