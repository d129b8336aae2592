/** Judges plans and requests by the rules. Independent of the planner, so that it can judge any plan. */
import type { ClusterFacts } from '../facts/facts.ts';
import { replay } from './state/replay.ts';
import type { RuleContext } from './rules/rule.ts';
import { RULES } from './rules/rules.ts';
import type { RuleViolation, UpgradePlan } from './model/types.ts';

/** Every rule that this plan breaks on this cluster; empty when it may run. */
export function validatePlan(plan: UpgradePlan, facts: ClusterFacts): RuleViolation[] {
  return violations({ facts, target: plan.to, plan, moments: replay(plan, facts) });
}

/** Every rule that the request breaks by itself, where no plan can be drawn. */
export function validateRequest(target: string, facts: ClusterFacts): RuleViolation[] {
  return violations({ facts, target, moments: [] });
}

function violations(context: RuleContext): RuleViolation[] {
  return RULES.flatMap((rule) =>
    rule.check(context).map((breach) => ({ rule: rule.name, message: breach.message, remedy: breach.remedy ?? rule.remedy })),
  );
}
