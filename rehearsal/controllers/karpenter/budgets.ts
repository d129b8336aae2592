/** How many nodes of a pool may be disrupted for a reason now, by Karpenter's rules. */
import { windowOpen } from './schedule.ts';

export interface Budget {
  nodes: string;
  reasons?: string[];
  schedule?: string;
  duration?: string;
}

/** The CRD's default where the field is absent. An empty list is something else: no limit at all. */
const DEFAULT_BUDGETS: readonly Budget[] = [{ nodes: '10%' }];

/**
 * The least of all active budgets that name the reason or none; without one there is no limit. Percentages round up. An unreadable
 * schedule allows nothing.
 */
export function allowedByBudgets(budgets: readonly Budget[] | undefined, nodeCount: number, reason: string, at: Date): number {
  let allowed = Number.POSITIVE_INFINITY;
  for (const budget of budgets ?? DEFAULT_BUDGETS) {
    if (budget.reasons !== undefined && !budget.reasons.includes(reason)) continue;
    if (budget.schedule !== undefined) {
      const open = windowOpen(budget.schedule, budget.duration ?? '', at);
      if (open === undefined) return 0;
      if (!open) continue;
    }
    allowed = Math.min(allowed, nodesOf(budget.nodes, nodeCount));
  }
  return allowed;
}

function nodesOf(text: string, nodeCount: number): number {
  if (!/^((100|[0-9]{1,2})%|[0-9]+)$/.test(text)) return 0;
  return text.endsWith('%') ? Math.ceil((nodeCount * Number(text.slice(0, -1))) / 100) : Number(text);
}
