/** Takes side effects off the results of activities, and carries what a resource was before an EKS update to whoever watches the update. */
import { ApplicationFailure } from '@temporalio/common';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { effectsIn, hasEffects } from '../../domain/run/side-effects/envelope.ts';
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import { type Restored, restoredIn } from '../../domain/run/restores/restored.ts';
import { isRecord } from '../../domain/core/unknown.ts';
import { EFFECTS } from './activity-effects.ts';
import type { Proxies } from './change-journal.ts';
import { rootCause } from './root-cause.ts';

interface Callable {
  executeWithOptions(options: { summary?: string }, args: unknown[]): Promise<unknown>;
}

/** Told before the caller gets the result; what it throws is thrown in its place. */
export type OnSideEffects = (effects: SideEffect[], activity: keyof BelayActivities) => Promise<void> | void;

/** Of the updates that a workflow has started, by their ids. */
export type Befores = Map<string, unknown>;

/** Told when a change was refused because Temporal was restored; resolves with the restore that people accept, and throws where they do not. */
export type OnRestored = (restored: Restored) => Promise<string>;

export function watchingSideEffects(proxies: Proxies, befores: Befores, onEffects: OnSideEffects, onRestored?: OnRestored): Proxies {
  return new Proxy(proxies, {
    get(target, name) {
      const activity: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || !isActivity(name)) return activity;
      const executeWithOptions: Callable['executeWithOptions'] = async (options, args) => {
        const asked = name === 'awaitUpdate' ? args.map((input) => withBefore(input, befores)) : args;
        let answer: unknown;
        // What goes well takes no turn more than without this, so recorded histories replay.
        try {
          answer = await (activity as Callable).executeWithOptions(options, asked);
        } catch (error) {
          const restored = restoredOf(error);
          if (restored === undefined || onRestored === undefined) throw error;
          answer = await onceAccepted(activity as Callable, { options, asked, restored, onRestored });
        }
        const result = hasEffects(answer) ? answer.result : answer;
        keepBefore(result, befores);
        if (hasEffects(answer)) await onEffects(effectsIn(answer), name);
        return result;
      };
      return Object.assign((...args: unknown[]) => executeWithOptions({}, args), { executeWithOptions });
    },
  });
}

/** A change is refused again where Temporal was restored once more meanwhile. */
async function onceAccepted(
  activity: Callable,
  { options, asked, restored, onRestored }: { options: { summary?: string }; asked: unknown[]; restored: Restored; onRestored: OnRestored },
): Promise<unknown> {
  for (let found = restored; ; ) {
    const accepted = await onRestored(found);
    try {
      return await activity.executeWithOptions(
        options,
        asked.map((input) => (isRecord(input) ? { ...input, restored: accepted } : input)),
      );
    } catch (error) {
      const again = restoredOf(error);
      if (again === undefined) throw error;
      found = again;
    }
  }
}

function restoredOf(error: unknown): Restored | undefined {
  const root = rootCause(error);
  return root instanceof ApplicationFailure && root.type === 'Restored' ? restoredIn(root.details?.[0]) : undefined;
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
