/** What NodePools and node classes say about AMIs and drift. */
import type { BudgetEntry, NodeClassFact } from './facts.ts';

/** A budget of none at all times. One without reasons holds for all of them. */
export function stopsDriftForGood({ nodes, reasons, schedule }: BudgetEntry): boolean {
  return /^0+%?$/.test(nodes) && schedule === undefined && (reasons === undefined || reasons.includes('Drifted'));
}

/** The alias by which a node class chooses its AMIs, or did before an earlier run pinned them. */
export function aliasOf({ alias, heldAlias }: NodeClassFact): string | undefined {
  return alias ?? heldAlias;
}
