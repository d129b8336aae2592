/** Tokens for names: the same value has the same one all over a snapshot, and another in each snapshot. */
const LETTERS = 6;
const TRIES = 100;

export class Tokens {
  readonly #digest: (text: string) => Uint8Array;
  readonly #byValue = new Map<string, string>();
  readonly #byToken = new Map<string, string>();

  /** `digest`: an HMAC with a key that is random and forgotten; whoever has it can try names out. */
  constructor(digest: (text: string) => Uint8Array) {
    this.#digest = digest;
  }

  /** "namespace-qwerty"; the kind is that of the first use of the value. */
  of(value: string, kind: string): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const token = `${kind}-${this.#letters(value, attempt)}`;
      // Six letters are enough for names, and not for all values of a large cluster to have others by chance.
      if (this.#byToken.has(token)) continue;
      this.#byValue.set(value, token);
      this.#byToken.set(token, value);
      return token;
    }
    throw new Error('no token is left');
  }

  /** Token to value. */
  map(): Record<string, string> {
    return Object.fromEntries(this.#byToken);
  }

  #letters(value: string, attempt: number): string {
    const digest = this.#digest(attempt === 0 ? value : `${value}\0${attempt}`);
    return Array.from(digest.subarray(0, LETTERS), (byte) => String.fromCodePoint(97 + (byte % 26))).join('');
  }
}
