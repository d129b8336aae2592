/** Chance by seed: the same seed gives the same numbers. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 to below 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 to below `count`. */
  index(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Log-normal with median 1: `sigma` 0.3 has nine in ten between 0.6 and 1.6. */
  factor(sigma: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return Math.exp(sigma * radius * Math.cos(2 * Math.PI * this.next()));
  }

  shuffle<T>(list: T[]): T[] {
    for (let last = list.length - 1; last > 0; last -= 1) {
      const other = this.index(last + 1);
      const [one, two] = [list[last], list[other]];
      if (one === undefined || two === undefined) continue;
      list[last] = two;
      list[other] = one;
    }
    return list;
  }
}
