/** How an activity's result travels when the activity has found side effects: the worker wraps it, workflows unwrap it. */
import { isRecord } from '../../core/unknown.ts';
import type { SideEffect } from './side-effect.ts';

/** A name that no result of an activity has. */
const EFFECTS_KEY = 'belaySideEffects';

export interface WithEffects {
  result: unknown;
  [EFFECTS_KEY]: SideEffect[];
}

export const withEffects = (result: unknown, effects: SideEffect[]): WithEffects => ({ result, [EFFECTS_KEY]: effects });

export const hasEffects = (value: unknown): value is WithEffects => isRecord(value) && Array.isArray(value[EFFECTS_KEY]);

export const effectsIn = (value: WithEffects): SideEffect[] => value[EFFECTS_KEY];
