/** A check of Istio: it passes where there is none. */
import { type Check, check, type Context, type Look } from '../../model/check.ts';
import type { IstioSeen, Shape } from '../../model/evidence.ts';
import type { SourceId } from '../../model/sources.ts';

interface IstioCheck<S extends SourceId> extends Omit<Check<S>, 'area' | 'look'> {
  look: (istio: IstioSeen, seen: { [Id in S]: Shape<Id> }, context: Context) => Look;
}

/** A check that passes where there is no Istio. */
export function istioCheck<const S extends SourceId>({ look, ...about }: IstioCheck<S | 'istio'>): Check {
  return check<S | 'istio'>({
    ...about,
    area: 'Istio',
    look: (seen, context) => (seen.istio === 'none' ? { pass: 'There is no Istio here.' } : look(seen.istio, seen, context)),
  });
}
