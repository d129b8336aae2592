/** What workflows may ask about side effects. */
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import type { Target } from './target.ts';

export interface SideEffectActivities {
  /** Those of the effects whose fields are still not as they were. Reads only. */
  lookAtSideEffects(input: Target & { effects: SideEffect[] }): Promise<{ effects: SideEffect[] }>;
}
