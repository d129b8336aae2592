/** The plan at its first gate, and what can still be undone. */
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import { rollbackLines, rollbackText } from '../../domain/plan/model/rollback-text.ts';
import type { PlanForecast } from '../../domain/plan/forecast/quoted.ts';
import { planFindings, planForecast, planInShort } from '../messages/plan.ts';

/** `forecast`: of the plan; absent where none was made. */
export const planEvidence = (plan: UpgradePlan, forecast?: PlanForecast): GateEvidence[] => [
  planInShort(plan),
  ...planForecast(forecast),
  ...planFindings(plan),
];

export function undoText(step: PlannedStep): string {
  return rollbackText(step.rollback);
}

/** For a gate before a step: what the step makes harder to undo comes first. */
export function gateUndoText(step: PlannedStep): string {
  const why = step.gate === undefined ? [] : [step.gate.why];
  return [...why, ...(step.rollback.what === 'nothing' ? [] : rollbackLines(step.rollback))].join('\n');
}
