/** Nodes that people are being asked about: what of them is news, and what is not. */

/** People decide about so many nodes at one gate; others come when these are settled. */
export const ASKED_AT_ONCE = 20;

/** A hold that is missing at one look may be there at the next: budgets and events are seen by turns. */
const GONE_SHARE = 0.1;

export class AskedNodes {
  readonly names: ReadonlySet<string>;
  readonly #goneAfterMs: number;
  readonly #heldAtMs = new Map<string, number>();

  /** `limitMs`: how long a node is blocked before people are asked. */
  constructor(names: readonly string[], limitMs: number) {
    this.names = new Set(names);
    this.#goneAfterMs = limitMs * GONE_SHARE;
  }

  /**
   * `held`: what is held now; `old`: what is still to be replaced. Another node is news, and so is the last one that was let go; in between only half of
   * them, so that nodes that are freed one by one are no gate each.
   */
  compare(held: readonly string[], old: ReadonlySet<string>, elapsedMs: number): 'none' | 'changed' | 'freed' {
    for (const name of held) this.#heldAtMs.set(name, elapsedMs);
    if (held.some((name) => !this.names.has(name))) return 'changed';
    const still = [...this.names].filter((name) => old.has(name) && elapsedMs - (this.#heldAtMs.get(name) ?? 0) < this.#goneAfterMs);
    if (this.names.size > 0 && still.length === 0) return 'freed';
    return still.length <= this.names.size / 2 && held.length > 0 ? 'changed' : 'none';
  }
}
