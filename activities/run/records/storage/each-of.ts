/** What is asked of each, a few at a time, in their order. */
const AT_ONCE = 8;

export async function eachOf<T, Result>(all: readonly T[], ask: (one: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < all.length; start += AT_ONCE)
    results.push(...(await Promise.all(all.slice(start, start + AT_ONCE).map(ask))));
  return results;
}
