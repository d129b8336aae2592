/** What workflows may ask about the cluster's health: its alerts now, its figures while a step runs, and its own state while a run goes on. */
import type { AlertVerdict } from '../../domain/health/alerts.ts';
import type { WatchedCheck } from '../../domain/health/checks.ts';
import type { TroubleNews, TroubleState } from '../../domain/health/cluster-trouble.ts';
import type { HealthCurve } from '../../domain/health/curves.ts';
import type { PhaseId } from '../../domain/core/phases.ts';
import type { WindowVerdict } from '../../domain/policy/windows.ts';
import type { Target, Waiting } from './target.ts';
import type { WindowQuestion } from '../../domain/plan/model/window-question.ts';

/** How a watch ended: the checks that are meant, and what each of them has seen. */
export interface HealthTrouble {
  /** warn: only such checks as hold up nothing. */
  kind: 'fail' | 'inconclusive' | 'warn';
  checks: string[];
  /** For people, one per check. */
  lines: string[];
  /** What they were over time, the failing ones first; not all of them. */
  curves?: HealthCurve[];
}

export interface HealthActivities {
  /** Both questions before a step that cannot be undone, in one: is a window open for it, and does an alert fire that stops it? */
  judgeStart(input: Target & WindowQuestion & { ignore: string[] }): Promise<{ window: WindowVerdict; alerts: AlertVerdict }>;
  /** Does an alert fire that stops what cannot be undone? `unknown`: Prometheus cannot be asked. */
  judgeAlerts(input: Target & { ignore: string[] }): Promise<AlertVerdict>;
  /** Ends when none does any more. Heartbeats; for days where it must. */
  awaitQuiet(input: Target & Waiting & { ignore: string[] }): Promise<{ quiet: boolean }>;
  /** Looks at the checks for as long as all of them are well: it ends with trouble, or is cancelled. Heartbeats. */
  watchHealth(input: Target & Waiting & { phase: PhaseId; checks: WatchedCheck[] }): Promise<HealthTrouble>;
}

export interface ClusterStateActivities {
  /**
   * Looks at pods, nodes, workloads and their events for as long as nothing is new: it ends with news, or is cancelled. `state`: what is known; absent,
   * the first look says what was there before. Heartbeats with its state, so that a restarted worker goes on and says nothing twice.
   */
  watchCluster(input: Target & Waiting & { state?: TroubleState }): Promise<{ state: TroubleState; news: TroubleNews }>;
}
