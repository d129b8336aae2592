/** "Did you mean": the known word that is the fewest letters away. */

/** undefined where nothing known is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

/** Levenshtein's distance, counting two swapped neighbours as one. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    const cells = [row];
    rows.push(cells);
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (same ? 0 : 1));
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) cost = Math.min(cost, at(row - 2, column - 2) + 1);
      cells.push(cost);
    }
  }
  return at(a.length, b.length);
}
