/** A cluster's readiness in one line of a plan. */
import { count } from '../../core/text.ts';
import type { ReadinessSummary } from '../../readiness/summary.ts';
import type { MemberReadiness } from './types.ts';

const VERDICTS = { ready: 'ready', 'required-findings': 'not-ready', 'unknowns-only': 'unknown' } as const;
const MAX_WHY = 200;

/** `why`: the worst finding, of those that make the verdict: what a check merely recommends does not say why a cluster is unknown. */
export function memberReadiness({ verdict, counts, open }: Pick<ReadinessSummary, 'verdict' | 'counts' | 'open'>): MemberReadiness {
  const isUnknown = verdict === 'unknowns-only';
  const worst = isUnknown ? open.find(({ status }) => status === 'unknown') : open[0];
  if (worst !== undefined) return { verdict: VERDICTS[verdict], why: `${worst.code}: ${worst.message}`.slice(0, MAX_WHY) };
  // Only the worst findings of a summary are named.
  return isUnknown
    ? { verdict: 'unknown', why: `${count(counts.unknown, 'check')} could not see everything` }
    : { verdict: VERDICTS[verdict] };
}
