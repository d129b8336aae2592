/** How far a roll has come. */
import type { Rolled } from '../../../domain/run/record/status.ts';

/** How far a roll of nodes is, for the board's bar. */
export function rolledOf({ replacedCount, remainingCount }: { replacedCount: number; remainingCount: number }): Rolled {
  return { doneCount: replacedCount, totalCount: replacedCount + remainingCount, unit: 'node' };
}
