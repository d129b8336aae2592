/** Ring after ring, several members at a time. */

export interface Ring<T> {
  name: string;
  members: readonly T[];
}

export interface RingOptions<T, R> {
  /** How many of a ring at a time. */
  parallel: number;
  run: (member: T) => Promise<R>;
  /** All of the ring have ended. */
  onRing: (ring: Ring<T>, results: readonly R[]) => void;
}

/** The next member begins as soon as one has ended, the next ring when all have. Rejects with the first error, and begins nothing more. */
export async function ringByRing<T, R>(rings: readonly Ring<T>[], { parallel, run, onRing }: RingOptions<T, R>): Promise<R[]> {
  const all: R[] = [];
  for (const ring of rings) {
    const results = await severalAtATime(ring.members, parallel, run);
    onRing(ring, results);
    all.push(...results);
  }
  return all;
}

async function severalAtATime<T, R>(members: readonly T[], parallel: number, run: (member: T) => Promise<R>): Promise<R[]> {
  const waiting = [...members.entries()];
  const results: R[] = [];
  let failed = false;
  async function take(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !failed; next = waiting.shift()) {
      const [index, member] = next;
      try {
        results[index] = await run(member);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, members.length) }, take));
  return results;
}
