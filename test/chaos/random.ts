/** Random choices that the same seed makes again. */
import { createHash } from 'node:crypto';

export interface Random {
  /** An integer from 0 up to, and without, `limit`. */
  below(limit: number): number;
  one<T>(of: readonly T[]): T;
  /** Different ones, in the order in which they were drawn. */
  some<T>(count: number, of: readonly T[]): T[];
}

/** Each number is the hash of the seed and of how many came before. */
export function randomOf(seed: string): Random {
  let count = 0;
  const below = (limit: number): number => {
    count += 1;
    return createHash('sha256').update(`${seed}/${count}`).digest().readUInt32LE(0) % limit;
  };
  const one = <T>(of: readonly T[]): T => {
    const drawn = of[below(of.length)];
    if (drawn === undefined) throw new RangeError('there is nothing to draw from');
    return drawn;
  };
  return {
    below,
    one,
    some(wanted, of) {
      const left = [...of];
      return Array.from({ length: Math.min(wanted, left.length) }, () => left.splice(below(left.length), 1)).flat();
    },
  };
}
