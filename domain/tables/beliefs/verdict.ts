/** What a conformance check found of its belief. */

/**
 * Why a belief could not be tried. absent: nothing of that kind is there; right: a right is missing; unanswered: it was asked, and there was no
 * answer that says anything; changes: changes are not allowed; never: no check tries it.
 */
export type Untried = 'absent' | 'right' | 'unanswered' | 'changes' | 'never';

/** held: as believed; broken: something else was seen. `saw`, `why`: a phrase. */
export type Verdict = { kind: 'held' | 'broken'; saw: string } | { kind: 'untried'; because: Untried; why: string };

export interface Tried {
  id: string;
  says: string;
  verdict: Verdict;
  /** What was changed for it and put back. */
  restored: string[];
  /** What was changed and could not be put back, with why. */
  left: { what: string; why: string }[];
}

/** `blind`: could not be tried for want of a right or an answer. */
export interface ConformanceCounts {
  held: number;
  broken: number;
  untried: number;
  blind: number;
  left: number;
}

export function countTried(tried: readonly Tried[]): ConformanceCounts {
  const count = (fits: (one: Tried) => boolean): number => tried.filter(fits).length;
  return {
    held: count(({ verdict }) => verdict.kind === 'held'),
    broken: count(({ verdict }) => verdict.kind === 'broken'),
    untried: count(({ verdict }) => verdict.kind === 'untried'),
    blind: count(({ verdict }) => verdict.kind === 'untried' && (verdict.because === 'right' || verdict.because === 'unanswered')),
    left: count(({ left }) => left.length > 0),
  };
}
