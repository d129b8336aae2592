/** Many calls of one API, without a storm of them. */
/** Calls in flight: many are read in time, and EKS's rate limit is left to others. */
const AT_ONCE = 5;

/** The results in the order of the items, whose calls are made five at a time. */
export async function someAtOnce<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(call))));
  return results;
}
