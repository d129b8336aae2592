/** What workflows may ask about the cluster's own state while a run goes on. */
import type { TroubleNews, TroubleState } from '../../domain/health/cluster-trouble.ts';
import type { Target, Waiting } from './target.ts';

export interface ClusterStateActivities {
  /**
   * Looks at pods, nodes, workloads and their events for as long as nothing is new: it ends with news, or is cancelled. `state`: what is known; absent,
   * the first look says what was there before. Heartbeats with its state, so that a restarted worker goes on and says nothing twice.
   */
  watchCluster(input: Target & Waiting & { state?: TroubleState }): Promise<{ state: TroubleState; news: TroubleNews }>;
}
