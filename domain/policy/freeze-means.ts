/** By which means Karpenter's drift is frozen: the words of belay.yaml, and what a run's guard is told. */

/**
 * budget: an entry in the NodePool's budgets, appended and removed exactly. self-expiring: such an entry with a schedule and a duration, which
 * ends by itself when nobody renews it. node-annotation: karpenter.sh/do-not-disrupt on every Node, where the NodePool is kept as in Git.
 */
export const FREEZE_MEANS = ['budget', 'self-expiring', 'node-annotation'] as const;
export type FreezeMean = (typeof FREEZE_MEANS)[number];

/** Of one run. Absent in plans that freeze by budgets alone. */
export interface FreezeMeans {
  usual: FreezeMean;
  /** NodePools whose nodes are held one by one, whatever is usual. */
  byNode?: string[];
  /** How long a self-expiring entry lasts without its guard; it is renewed when half of that is over. */
  lastsMs?: number;
}

export const BUDGETS_ONLY: FreezeMeans = { usual: 'budget' };

/** How this pool is frozen. */
export function meanOf(pool: string, { usual, byNode = [] }: FreezeMeans): FreezeMean {
  return byNode.includes(pool) ? 'node-annotation' : usual;
}

/** How many nodes a budget's `nodes` allows of so many: percentages round up, as Karpenter does (karpenter.sh, NodePool Disruption Budgets). */
export function allowedNodes(nodes: string, nodeCount: number): number {
  const value = Number.parseInt(nodes, 10);
  return nodes.endsWith('%') ? Math.ceil((nodeCount * value) / 100) : value;
}
