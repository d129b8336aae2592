/** What workflows may ask about a rollback that begins with the nodes of EKS Auto Mode (activities/eks/await-nodes-rolled-back.ts). */
import type { Target, Waiting } from './target.ts';

export type NodesBackOutcome =
  /** No more than `tellAt` nodes are newer than `to`; EKS still takes nodes back. */
  | { kind: 'progress'; leftCount: number }
  /** The control plane itself goes back: nothing cancels it any more. */
  | { kind: 'moving' }
  /** The update has ended, one way or another: awaitUpdate tells which. */
  | { kind: 'ended' }
  | { kind: 'timed-out'; leftCount: number | undefined };

export interface RollbackActivities {
  /** Watches a rollback for as long as nodes go back. EKS says it by the cluster's status, which stays ACTIVE meanwhile. Heartbeats. */
  watchNodesBack(input: Target & Waiting & { updateId: string; to: string; tellAt: number; timeoutMs: number }): Promise<NodesBackOutcome>;
  /**
   * CancelUpdate, after looking whether it is still needed. `cancelling`: EKS is about to stop it, whoever asked. `too-late`: the control plane
   * moves already. `ended`: it had ended before.
   */
  cancelRollback(input: Target & { updateId: string; token: string }): Promise<{ outcome: 'cancelling' | 'too-late' | 'ended' }>;
}
