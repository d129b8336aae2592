/** Work on many clusters at a time, with few of them in one account and region: those share its API limits. */

export interface PlaceLimits<T> {
  place: (item: T) => string;
  perPlace: number;
  atOnce: number;
}

/** Results in the order of the items. A place that is full holds up no other; the first rejection rejects, once what runs has ended. */
export async function inPlaces<T, R>(
  items: readonly T[],
  { place, perPlace, atOnce }: PlaceLimits<T>,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.map((item, index) => ({ item, index, place: place(item) }));
  const busy = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const start = ({ item, index, place: where }: (typeof waiting)[number]): void => {
    busy.set(where, (busy.get(where) ?? 0) + 1);
    const done = work(item)
      .then((result) => void (results[index] = result))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        busy.set(where, (busy.get(where) ?? 1) - 1);
        running.delete(done);
      });
    running.add(done);
  };
  while (failures.length === 0 && waiting.length > 0) {
    const next = running.size < atOnce ? waiting.findIndex((each) => (busy.get(each.place) ?? 0) < perPlace) : -1;
    const [entry] = next === -1 ? [] : waiting.splice(next, 1);
    if (entry === undefined) await Promise.race(running);
    else start(entry);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return results;
}
