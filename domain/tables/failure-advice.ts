/** The shape of advice for a failure. */

/**
 * `fixed`: the step again, after people have mended what the row names. `force`: opens a gate of its own first.
 * `preserve`, `overwrite`: the add-on's update again, with that way to resolve conflicts.
 */
export type FailureChoice = 'retry' | 'fixed' | 'force' | 'preserve' | 'overwrite' | 'skip' | 'abort';

export interface FailureAdvice {
  /** One sentence: what it means. */
  says: string;
  /** What to do. */
  suggestion: string;
  /** The suggested one first. */
  choices: readonly FailureChoice[];
}

/** Whose code it is: of an update's errors, of the issues of a resource, or Belay's own. */
export type FailureScope = 'update' | 'node-group' | 'add-on' | 'cluster' | 'belay';
