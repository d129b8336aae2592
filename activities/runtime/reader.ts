/** Reads the parts of a cluster for inspection: what cannot be read becomes an `unknowns` entry with its reason, never an absence. */
import type { ClusterFacts, Inspected } from '../../domain/facts/facts.ts';
import { failureType, translateError } from './translate-errors.ts';
import { defined } from '../../domain/core/defined.ts';

export interface Reader {
  /** The result of `read`; `fallback` with an entry in `unknowns` when it cannot be read. `permission` is what the reading needs. */
  attempt<T>(about: Inspected, permission: string, read: () => Promise<T>, fallback: T): Promise<T>;
  /** Notes something that was read but cannot be understood. */
  doubt(about: Inspected, why: string, denied?: true): void;
  unknowns: ClusterFacts['unknowns'];
}

/**
 * `onTransient`: what a time-out or a server error means. `throw`: the caller tries the whole inspection again; `unknown`: it is said and the rest
 * goes on. Wrong configuration is always thrown.
 */
export function createReader(onTransient: 'throw' | 'unknown'): Reader {
  const unknowns: ClusterFacts['unknowns'] = [];
  const doubt = (about: Inspected, why: string, denied?: true): void => {
    if (!unknowns.some((entry) => entry.what === about.what)) unknowns.push({ ...about, why, ...defined({ denied }) });
  };
  return {
    unknowns,
    doubt,
    async attempt(about, permission, read, fallback) {
      try {
        return await read();
      } catch (error) {
        const failure = translateError(error, `reading ${about.what}`);
        const type = failureType(failure);
        if (type === 'Configuration' || (onTransient === 'throw' && !failure.nonRetryable)) throw failure;
        if (type === 'AccessDenied') doubt(about, `not permitted: it needs ${permission} (${failure.message})`, true);
        else doubt(about, failure.message);
        return fallback;
      }
    },
  };
}
