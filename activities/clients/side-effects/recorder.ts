/** Side effects of the activity that runs: what looks at resources writes them down, and the worker hands them over with the activity's result. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { compareResource, type RawDifference } from '../../../domain/run/side-effects/compare.ts';
import type { ResourceKind } from '../../../domain/run/side-effects/self-changes.ts';
import { type SideEffect, sideEffectOf, type Touched } from '../../../domain/run/side-effects/side-effect.ts';

/** An activity that touches thousands of objects tells the first ones. */
const KEPT = 20;
const REMEMBERED = 1_000;

const recorders = new AsyncLocalStorage<SideEffect[]>();
/** Of activities that failed after they had found something, by the activity: the next attempt finds its change done and has nothing to compare. */
const unheard = new Map<string, SideEffect[]>();

/** Runs an attempt of an activity; `key` is the same in each. `effects`: what was found, in earlier attempts of this process as well. */
export async function recordingSideEffects<T>(key: string, work: () => Promise<T>): Promise<{ result: T; effects: SideEffect[] }> {
  const effects = unheard.get(key) ?? [];
  try {
    const result = await recorders.run(effects, work);
    unheard.delete(key);
    return { result, effects };
  } catch (error) {
    const oldest = unheard.size >= REMEMBERED ? unheard.keys().next() : undefined;
    if (oldest?.done === false) unheard.delete(oldest.value);
    if (effects.length > 0) unheard.set(key, effects);
    throw error;
  }
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

interface Compared {
  resource: Touched;
  /** What was changed, for people. */
  during: string;
  before: unknown;
  after: unknown;
  declared: readonly (readonly string[])[];
}

/** Writes down what differs beside what was declared. Outside of an activity nobody is told. */
export function noteDifferences({ resource, during, before, after, declared }: Compared): void {
  const kind: ResourceKind = 'eks' in resource ? { eks: resource.eks } : { plural: resource.plural };
  note(resource, during, compareResource(kind, before, after, declared));
}

function note(resource: Touched, during: string, found: readonly RawDifference[]): void {
  const recorder = recorders.getStore();
  const effect = sideEffectOf(resource, during, found, digest);
  if (effect !== undefined && recorder !== undefined && recorder.length < KEPT) recorder.push(effect);
}
