/** What every message to a workflow carries, so that it can be proved and is taken once. */

/** What every message to a workflow carries, so that it can be proved and is taken once. */
export interface Signed {
  /** Run id of the run that the sender means. */
  run?: string;
  /** When it was sent, ISO 8601. */
  at?: string;
  /** Used once: a message that is repeated changes nothing. */
  id?: string;
  /** Who sent it, shown by a signature over the canonical text. Never kept. */
  proof?: string;
}
