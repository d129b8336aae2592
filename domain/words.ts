/** Small texts that read the same wherever people meet them. */

/** "a, b, c and 7 more": for text, never for what a step acts on. */
export function someOf(names: readonly string[], limit = 5): string {
  const rest = names.length - limit;
  return rest > 0 ? `${names.slice(0, limit).join(', ')} and ${rest} more` : names.join(', ');
}

/** "1 node", "2 nodes" */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
