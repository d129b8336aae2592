/** What "usual" means: how long something has taken in earlier upgrades, and whose those were. */
import { count as counted, duration } from '../../core/text.ts';

/** Whose upgrades were learnt from, the nearest first. */
export const SCOPES = ['cluster', 'environment', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

/** Beside an expected duration, which is the median. */
export interface Usual {
  /** The shortest and the longest of them. */
  minMs: number;
  maxMs: number;
  /** Upgrades, not steps: one of two hops counts once. */
  count: number;
  of: Scope;
}

const WHOSE: Record<Scope, string> = { cluster: 'of this cluster', environment: 'of this environment', all: 'of all clusters' };

/** "usually 11 min (median of 4 upgrades of this cluster)". */
export function usualWords(expectedMs: number, { count, of }: Usual): string {
  return `usually ${duration(expectedMs)} (${count === 1 ? 'as in one upgrade' : `median of ${counted(count, 'upgrade')}`} ${WHOSE[of]})`;
}

/** The same with the range: "usually 11 min (median of 4 upgrades of this cluster, 9 min to 14 min)". */
export function usualRange(expectedMs: number, usual: Usual): string {
  const words = usualWords(expectedMs, usual);
  return usual.count === 1 ? words : words.replace(/\)$/, `, ${duration(usual.minMs)} to ${duration(usual.maxMs)})`);
}

/** Per unit, in milliseconds. */
export interface LearntDuration extends Usual {
  medianMs: number;
}

export type Learnt = Partial<Record<Unit, LearntDuration>>;

/** What durations are learnt of. */
export const UNITS = [
  'pre-checks',
  'logging',
  'karpenter-controller',
  'istio-wave', // its watching time included
  'add-on',
  'freeze',
  'control-plane', // one minor
  'group-node', // of the largest node group: groups are moved side by side
  'karpenter-node',
  'validation',
] as const;

export type Unit = (typeof UNITS)[number];
