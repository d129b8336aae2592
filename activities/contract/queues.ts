/** What workflows may ask about the task queue of a cluster's network. */
import type { Target, Waiting } from './target.ts';

/** `unknown`: Temporal does not say, `why` says why not. */
export type QueueState = { kind: 'polled' } | { kind: 'unpolled' } | { kind: 'unknown'; why: string };

export interface QueueActivities {
  /** Looks at who polls the queue of the cluster's network, and ends when that is no longer what is `known`. Heartbeats. Done by workers of the workflows' queue. */
  watchQueue(input: Target & Waiting & { known: QueueState['kind'] }): Promise<QueueState>;
}
