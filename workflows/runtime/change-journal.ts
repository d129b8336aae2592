/** Which activities change something, for the audit record: each change with what it was meant to do, its token and its outcome. */
import { type ActivityInterfaceFor, isCancellation } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import { effectsIn, hasEffects } from '../../domain/run/side-effects/envelope.ts';
import { headline } from '../../domain/run/side-effects/text.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { EFFECTS } from './activity-effects.ts';
import { defined } from '../../domain/core/defined.ts';

export type Proxies = ActivityInterfaceFor<BelayActivities>;

interface Callable {
  executeWithOptions(options: { summary?: string }, args: unknown[]): Promise<unknown>;
}

/** Makes of activities the same ones, each change of which is written down when it has ended. `note` is called once for each. */
export function journaling({
  of,
  note,
}: {
  of: { step: string; round: number };
  note: (event: AuditEvent) => void;
}): (proxies: Proxies) => Proxies {
  let count = 0;
  return (proxies) =>
    new Proxy(proxies, {
      get(target, name) {
        const activity: unknown = Reflect.get(target, name);
        if (!isActivity(name) || EFFECTS[name] === 'reads' || EFFECTS[name] === 'keeps') return activity;
        const kind = EFFECTS[name] === 'changes' ? 'change' : 'restore';
        const executeWithOptions: Callable['executeWithOptions'] = async (options, args) => {
          count += 1;
          const id = `${of.step}.${of.round}/${name}/${count}`;
          const written = (ending: string, result?: AuditEvent['result']): void => {
            const what = `${options.summary ?? name}${ending}`;
            note({
              id,
              at: new Date().toISOString(),
              kind,
              what,
              step: of.step,
              ...tokenIn(args[0]),
              ...defined({ result }),
            });
          };
          try {
            const result = await (activity as Callable).executeWithOptions(options, args);
            const effects = hasEffects(result) ? effectsIn(result) : [];
            written(
              effects.length === 0 ? '' : `; changed besides: ${effects.map(headline).join('; ').slice(0, 300)}`,
              smallFacts(hasEffects(result) ? result.result : result),
            );
            return result;
          } catch (error) {
            const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
            written(isCancellation(error) ? ': cut off, so it may have been done or not' : `: failed, ${messageOf(cause)}`);
            throw error;
          }
        };
        return Object.assign((...args: unknown[]) => executeWithOptions({}, args), { executeWithOptions });
      },
    });
}

function isActivity(name: string | symbol): name is keyof BelayActivities {
  return typeof name === 'string' && name in EFFECTS;
}

function tokenIn(input: unknown): { token?: string } {
  const token = typeof input === 'object' && input !== null ? Reflect.get(input, 'token') : undefined;
  return typeof token === 'string' ? { token } : {};
}

/** Ids, counts and flags; lists as how long they are. */
function smallFacts(result: unknown): AuditEvent['result'] {
  if (typeof result !== 'object' || result === null) return undefined;
  const facts = Object.entries(result).flatMap(([name, value]): [string, string | number | boolean][] => {
    if (typeof value === 'string') return [[name, value.slice(0, 200)]];
    if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
    return Array.isArray(value) ? [[`${name}Count`, value.length]] : [];
  });
  return facts.length === 0 ? undefined : Object.fromEntries(facts.slice(0, 12));
}
