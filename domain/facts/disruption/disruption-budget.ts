/** Whether a PodDisruptionBudget can ever let a pod go: by its own numbers, with every pod healthy. */
import { count } from '../../core/text.ts';

/** Whole numbers or percentages; one of them, or neither. */
export interface BudgetNumbers {
  minAvailable?: number | string;
  maxUnavailable?: number | string;
}

/** Percentages of a budget round up (kubernetes/pkg/controller/disruption). */
function resolve(value: number | string, pods: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseFloat(value) * pods) / 100);
}

/** Why a budget lets none of so many healthy pods go; undefined: it does. */
export function whyNever({ minAvailable, maxUnavailable }: BudgetNumbers, pods: number): string | undefined {
  if (maxUnavailable !== undefined && resolve(maxUnavailable, pods) === 0) return `maxUnavailable is ${maxUnavailable}`;
  if (minAvailable !== undefined && resolve(minAvailable, pods) >= pods) return `minAvailable ${minAvailable} of ${count(pods, 'pod')}`;
  return undefined;
}
