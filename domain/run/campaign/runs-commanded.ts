/** What has come of one command for all runs of a campaign. */

export type RunCommanded =
  | { kind: 'done' }
  /** Temporal keeps the command until a worker answers. */
  | { kind: 'kept' }
  /** Its run had ended by then. */
  | { kind: 'ended' }
  /** By the run's own rules, or as it was so already. */
  | { kind: 'refused'; why: string }
  /** Nothing was heard: whether it has the command is not known. */
  | { kind: 'unreached'; why: string };

export interface RunsCommanded {
  verb: 'pause' | 'resume';
  /** In the order of the plan. */
  results: { cluster: string; result: RunCommanded }[];
}
