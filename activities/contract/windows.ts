/** What workflows may ask about time: all of its arithmetic is done here, so that a new table of time zones cannot break a replay. */
import type { AfterEnvironment, OrderVerdict } from '../../domain/policy/environments.ts';
import type { WindowVerdict } from '../../domain/policy/windows.ts';
import type { Target, Waiting } from './target.ts';
import type { WindowQuestion } from '../../domain/plan/model/window-question.ts';

export interface WindowActivities {
  /** May it begin now? Reads belay.yaml anew: an exclusion that was declared during the run counts. */
  judgeWindow(input: Target & WindowQuestion): Promise<WindowVerdict>;
  /**
   * Ends when it may, or, not `opened`, some minutes on if the next window is later than people were told: `toldOf`, absent where none was known. Heartbeats; for
   * days where it must.
   */
  awaitWindow(input: Target & Waiting & WindowQuestion & { toldOf?: string }): Promise<{ opened: boolean }>;
  /** Do the clusters of the environment before stand at the target, and for long enough? By EKS and by the records of this installation. */
  judgeOrder(input: Target & { target: string; after: AfterEnvironment }): Promise<OrderVerdict>;
}
