/** PodDisruptionBudgets whose pods Kubernetes cannot count: they never allow a disruption, and their status reads as if they had no pods. */
import { because } from '../../core/text.ts';

interface BudgetStatus {
  expectedPods?: number;
  currentHealthy?: number;
  conditions?: readonly { type: string; reason?: string; message?: string }[];
}

/**
 * Why the pods of a budget cannot be counted; undefined: they can, or there are none. For maxUnavailable and percentages the disruption controller adds up
 * the scale of the pods' controllers: it gives up where one has no scale, and leaves out pods without a controller (kubernetes/pkg/controller/disruption,
 * getExpectedScale, failSafe and updatePdbStatus). A whole number as minAvailable needs no scale.
 */
export function whyUncounted({ expectedPods, currentHealthy = 0, conditions = [] }: BudgetStatus = {}): string | undefined {
  const failed = conditions.find(({ type, reason }) => type === 'DisruptionAllowed' && reason === 'SyncFailed');
  if (failed !== undefined) return `Kubernetes cannot count its pods${because(failed.message || undefined)}`;
  return expectedPods === 0 && currentHealthy > 0 ? 'Kubernetes cannot count its pods: they have no controller' : undefined;
}
