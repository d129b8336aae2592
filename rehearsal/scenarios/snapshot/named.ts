/** Names in a sentence. */

const SHOWN = 5;

/** "a, b, c and 4 more" */
export function named(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ');
}
