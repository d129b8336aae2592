/** How fast Karpenter may replace its nodes, in the words that people choose from while it does. */
import { count } from '../core/text.ts';

/** What a step offers while it rolls, in this order; `automatic` hands the pace back to the plan's steps. */
export const OFFERED_PACES = ['freeze', '1', '10%', '20%', 'original'] as const;
export const AUTOMATIC = 'automatic';

/** `nodes` of a budget, as Karpenter's CRD allows it (karpenter.sh/v1 NodePool, spec.disruption.budgets). */
export const BUDGET = /^((100|[0-9]{1,2})%|[0-9]{1,5})$/;

/** "freeze", "original", "automatic", or a budget such as "1" and "10%"; undefined for anything else. "0" is a freeze, too. */
export function parsePace(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'freeze' || word === 'original' || word === AUTOMATIC) return word;
  if (!BUDGET.test(word)) return undefined;
  return /^0+%?$/.test(word) ? 'freeze' : word;
}

/** Says what is right where `parsePace` finds nothing. */
export const PACE_FORM = 'use freeze, 1, 10%, 20%, another number or percentage, original or automatic';

/**
 * `nodes` of Belay's own budget entry. Karpenter takes the least of all entries, so with 100 % beside them the original ones decide alone
 * (GetAllowedDisruptionsByReason in sigs.k8s.io/karpenter).
 */
export function budgetOf(pace: string): string {
  if (pace === 'freeze') return '0';
  return pace === 'original' ? '100%' : pace;
}

/** What follows "Karpenter replaces": "no node", "at most 10% of the nodes of each pool at a time". */
export function paceText(pace: string): string {
  if (pace === 'freeze') return 'no node';
  if (pace === 'original') return 'as many nodes at a time as the original budgets allow';
  return pace.endsWith('%')
    ? `at most ${pace} of the nodes of each pool at a time`
    : `at most ${count(Number(pace), 'node')} at a time in each pool`;
}

/** Of a budget: "1 node", "10% of the nodes"; what else there may be stays. */
export function paceOfPool(pace: string): string {
  if (pace.endsWith('%')) return `${pace} of the nodes`;
  return /^\d+$/.test(pace) ? count(Number(pace), 'node') : pace;
}

/**
 * May the pace replace nodes faster than the present one does? Only what is slower for sure is not: a number and a percentage cannot be compared without
 * the size of each pool, and what the plan does next is not known here.
 */
export function mayBeFaster(pace: string, present: string): boolean {
  if (pace === 'freeze' || pace === present) return false;
  if (present === 'original') return pace === AUTOMATIC;
  if (present === 'freeze' || pace === 'original' || pace === AUTOMATIC) return true;
  return pace.endsWith('%') !== present.endsWith('%') || Number.parseInt(pace, 10) > Number.parseInt(present, 10);
}

/** On a button. */
export function paceLabel(pace: string): string {
  if (pace === 'freeze') return 'Freeze';
  if (pace === 'original') return 'Original budgets';
  return pace === AUTOMATIC ? 'Automatic' : `${pace} at a time`;
}
