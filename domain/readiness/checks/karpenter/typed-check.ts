/** The form of a check about Karpenter. */
import { type Check, check, type Context, type Look } from '../../model/check.ts';
import type { KarpenterSeen, Shape } from '../../model/evidence.ts';
import type { SourceId } from '../../model/sources.ts';

const NONE = { pass: 'There is no Karpenter here.' };

interface KarpenterCheck<S extends SourceId> extends Omit<Check<S>, 'area' | 'look'> {
  look: (karpenter: KarpenterSeen, seen: { [Id in S]: Shape<Id> }, context: Context) => Look | readonly Look[];
}

/** A check that passes where there is no Karpenter. */
export function karpenterCheck<const S extends SourceId>({ look, ...about }: KarpenterCheck<S | 'karpenter'>): Check {
  return check<S | 'karpenter'>({
    ...about,
    area: 'Karpenter',
    look: (seen, context) => (seen.karpenter === 'none' ? NONE : look(seen.karpenter, seen, context)),
  });
}
