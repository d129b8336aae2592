/** Takes side effects off the results of activities, and carries what a resource was before an EKS update to whoever watches the update. */
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { effectsIn, hasEffects } from '../../domain/run/side-effects/envelope.ts';
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import { isRecord } from '../../domain/core/unknown.ts';
import { EFFECTS } from './activity-effects.ts';
import type { Proxies } from './change-journal.ts';

interface Callable {
  executeWithOptions(options: { summary?: string }, args: unknown[]): Promise<unknown>;
}

/** Told before the caller gets the result; what it throws is thrown in its place. */
export type OnSideEffects = (effects: SideEffect[], activity: keyof BelayActivities) => Promise<void> | void;

/** Of the updates that a workflow has started, by their ids. */
export type Befores = Map<string, unknown>;

export function watchingSideEffects(proxies: Proxies, befores: Befores, onEffects: OnSideEffects): Proxies {
  return new Proxy(proxies, {
    get(target, name) {
      const activity: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || !isActivity(name)) return activity;
      const executeWithOptions: Callable['executeWithOptions'] = async (options, args) => {
        const asked = name === 'awaitUpdate' ? args.map((input) => withBefore(input, befores)) : args;
        const answer = await (activity as Callable).executeWithOptions(options, asked);
        const result = hasEffects(answer) ? answer.result : answer;
        keepBefore(result, befores);
        if (hasEffects(answer)) await onEffects(effectsIn(answer), name);
        return result;
      };
      return Object.assign((...args: unknown[]) => executeWithOptions({}, args), { executeWithOptions });
    },
  });
}

function isActivity(name: string): name is keyof BelayActivities {
  return name in EFFECTS;
}

function keepBefore(result: unknown, befores: Befores): void {
  if (!isRecord(result)) return;
  const { updateId, before } = result;
  if (typeof updateId === 'string' && isRecord(before)) befores.set(updateId, before);
}

function withBefore(input: unknown, befores: Befores): unknown {
  if (!isRecord(input) || typeof input['updateId'] !== 'string') return input;
  const before = befores.get(input['updateId']);
  return before === undefined ? input : { ...input, before };
}
