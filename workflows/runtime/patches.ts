/**
 * Changes of workflow code that runs of a released version would not replay: the one place that names them. A change goes behind Temporal's `patched` with an
 * id of this table, and the table says when both can go (docs.temporal.io/develop/typescript/versioning).
 */
export interface Patch {
  id: string;
  /** What differs for runs that began before. */
  why: string;
  /** The first version that has it. */
  since: string;
  /** When no run from before `since` can be under way or be replayed any more. */
  removableWhen: string;
}

/** Empty: nothing has been released that could be replayed. */
export const PATCHES: readonly Patch[] = [];
