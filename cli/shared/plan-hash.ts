/** The hash of a plan as people type it. */

/** As many characters as gates in Slack show of it. */
export const SHOWN_CHARACTERS = 11;

/** Is `wanted` this hash, or as much of its beginning as screens show? `hash`: undefined where the gate's plan is not known. */
export function isPlan(hash: string | undefined, wanted: string): boolean {
  return hash !== undefined && (hash === wanted || (wanted.length >= SHOWN_CHARACTERS && hash.startsWith(wanted)));
}
