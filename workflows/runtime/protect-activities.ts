/** Gives activities that nobody can take back what they look at first (domain/policy/irreversible), and says what they had to put back. */
import { looksBefore, type Protection } from '../../domain/policy/irreversible.ts';
import type { Proxies } from './change-journal.ts';

export interface Protecting {
  protect: Protection;
  /** NodePools whose freeze was put back by such a look. */
  refrozen: (pools: string[]) => void;
}

interface Callable {
  executeWithOptions(options: { summary?: string }, args: unknown[]): Promise<unknown>;
}

/** Makes of activities the same ones, with the protection in the input of those that need it. */
export function protecting({ protect, refrozen }: Protecting): (proxies: Proxies) => Proxies {
  return (proxies) =>
    new Proxy(proxies, {
      get(target, name) {
        const activity: unknown = Reflect.get(target, name);
        if (typeof name !== 'string' || looksBefore(name).length === 0) return activity;
        const executeWithOptions: Callable['executeWithOptions'] = async (options, [input, ...more]) => {
          const given = typeof input === 'object' && input !== null ? { ...input, protect } : input;
          const result = await (activity as Callable).executeWithOptions(options, [given, ...more]);
          const pools: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'refrozen') : undefined;
          if (Array.isArray(pools)) refrozen(pools.map(String));
          return result;
        };
        return Object.assign((...args: unknown[]) => executeWithOptions({}, args), { executeWithOptions });
      },
    });
}
