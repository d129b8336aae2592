/** istiods with one replica while nodes move: whether a step spares them, and how that is said. */
import type { ClusterFacts } from '../../facts/facts.ts';
import { someOf } from '../../core/text.ts';

/** For a step's parameters. */
export function sparing({ istio }: ClusterFacts): { spareIstiod?: true } {
  return (istio?.loneBudgets ?? []).length === 0 ? {} : { spareIstiod: true };
}

/** A sentence with its space before it, for a gate. */
export function spareWords({ istio }: ClusterFacts): string {
  const budgets = istio?.loneBudgets ?? [];
  if (budgets.length === 0) return '';
  return ` Meanwhile istiod behind ${someOf(budgets)} runs with two replicas, since its budget lets the only one not go, and with one again afterwards; where GitOps keeps its replicas you are asked.`;
}
