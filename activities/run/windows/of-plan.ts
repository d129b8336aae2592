/** What a plan says of windows when it is made. */
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { type PlanWindows, type WindowPolicy, windowsText } from '../../../domain/policy/windows.ts';
import { judge } from './judge.ts';
import { questionOfStart } from '../../../domain/plan/model/window-question.ts';

/** undefined: none are configured, or the plan changes nothing. `now`: ISO 8601. */
export function windowsOfPlan(plan: UpgradePlan, policy: WindowPolicy | undefined, now: string): PlanWindows | undefined {
  const question = questionOfStart(plan);
  if (policy === undefined || question === undefined || policy.maintenance.length + policy.exclusions.length === 0) return undefined;
  return { text: windowsText(policy), verdict: judge(policy, question, Date.parse(now)), outside: policy.outside };
}
