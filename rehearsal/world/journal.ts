/** What the stand-ins received: the only source of the rehearsal's `mutations`. Nothing in it is told by the product. */

export interface Mutation {
  /** Which stand-in: eks (and the services of AWS beside it) | kubernetes | slack */
  api: 'eks' | 'kubernetes' | 'slack';
  /** UpdateClusterVersion; `patch nodepools`; chat.postMessage. */
  operation: string;
  /** What it acts on: cluster, `nodepools/default`, `pods/shop/cart-0`. */
  resource: string;
  /** clientRequestToken or another idempotency key, where the request carried one. */
  token?: string;
  accepted: boolean;
  /** Refusal: the error's name. */
  error?: string;
  /** World time, ISO 8601. */
  at: string;
  /** Body in short, for people. */
  detail?: Record<string, unknown>;
}

/** Called after acceptance and before the answer is sent, so that a kill can fall exactly in between. */
export type MutationListener = (mutation: Mutation) => void | Promise<void>;

export class Journal {
  readonly mutations: Mutation[] = [];
  readonly #listeners = new Set<MutationListener>();
  readonly #tellers = new Set<(text: string) => void>();
  readonly #events: { at: string; text: string }[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Servers await this between doing a mutation and answering it. */
  async record(mutation: Omit<Mutation, 'at'>): Promise<void> {
    const stamped = { ...mutation, at: this.#now().toISOString() };
    this.mutations.push(stamped);
    for (const listener of this.#listeners) await listener(stamped);
  }

  onMutation(listener: MutationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A line for the world's own story ("Karpenter launches node-7"), shown on the channel page and in --json. */
  tell(text: string): void {
    this.#events.push({ at: this.#now().toISOString(), text });
    for (const listener of this.#tellers) listener(text);
  }

  /** Each line from now on. Returns the removal. */
  onTold(listener: (text: string) => void): () => void {
    this.#tellers.add(listener);
    return () => this.#tellers.delete(listener);
  }

  get events(): readonly { at: string; text: string }[] {
    return this.#events;
  }
}
