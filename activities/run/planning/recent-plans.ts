/** Plans that were shown a moment ago: the run that starts from one goes by it, in place of reading the whole cluster a second time. */
import type { PlanResult } from '../../../domain/plan/model/types.ts';
import { stableJson } from '../../../domain/core/stable-json.ts';

/** As old as a plan may be that a person has just approved of by starting it. */
const FRESH_MS = 2 * 60_000;
const KEPT = 50;

export interface RecentPlans {
  keep(question: unknown, result: PlanResult): void;
  /** Once for each plan: a run that is started again reads again. undefined: there is none, or it is too old. */
  take(question: unknown): PlanResult | undefined;
}

/** Of this process: another worker reads the cluster itself. `nowMs` is injected by tests. */
export function createRecentPlans(nowMs = Date.now): RecentPlans {
  const plans = new Map<string, { result: PlanResult; atMs: number }>();
  return {
    keep(question, result) {
      const key = stableJson(question);
      plans.delete(key);
      plans.set(key, { result, atMs: nowMs() });
      const [oldest] = plans.keys();
      if (plans.size > KEPT && oldest !== undefined) plans.delete(oldest);
    },
    take(question) {
      const key = stableJson(question);
      const kept = plans.get(key);
      plans.delete(key);
      return kept !== undefined && nowMs() - kept.atMs <= FRESH_MS ? kept.result : undefined;
    },
  };
}
