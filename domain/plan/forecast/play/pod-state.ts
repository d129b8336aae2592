/** Where a pod of a play is in its life. */

/** Ready; scheduled; looking for a node; its predecessor is ending; nobody makes it anew. */
export const RUNNING = 0;
export const STARTING = 1;
export const PENDING = 2;
export const WAITING = 3;
export const LOST = 4;

export interface PlayedPod {
  class: number;
  workload: number;
  budgets: readonly number[];
  node: number;
  state: typeof RUNNING | typeof STARTING | typeof PENDING | typeof WAITING | typeof LOST;
  /** Not Ready in the snapshot, and never. */
  sick: boolean;
  doNotDisrupt: boolean;
  /** Counts its successors. */
  turn: number;
  /** Since 1970; within a second by UID, or by chance. */
  bornMs: number;
  /** Where Karpenter expects it; -1: nowhere. */
  plannedOn: number;
}
