/** Names by how near they are to one that was mistyped. */

/** The nearest first; equally near ones keep their order. */
export function nearestFirst(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, far: distance(wanted, name) }))
    .toSorted((a, b) => a.far - b.far)
    .map(({ name }) => name);
}

/** Letters to insert, delete or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
