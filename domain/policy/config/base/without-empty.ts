/** What YAML gave, without what says nothing. */
import { isRecord } from '../../../core/unknown.ts';

/** A key with nothing behind it, such as `slack:` with all its lines commented out, counts as absent. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutEmpty(inner)]));
}

/** Sections whose keys are names. `prod:` with nothing behind it is still a cluster: dropped, it would be missing in every list without a word. */
const NAMED = ['clusters', 'campaigns'];

/** Like `withoutEmpty`, but a cluster or campaign that says nothing stays, as an empty one: what it lacks is then named. */
export function withoutEmptySettings(raw: unknown): unknown {
  if (!isRecord(raw)) return withoutEmpty(raw);
  const named = NAMED.flatMap((section): [string, unknown][] => {
    const entries = raw[section];
    return isRecord(entries) ? [[section, Object.fromEntries(Object.entries(entries).map(([name, of]) => [name, of ?? {}]))]] : [];
  });
  return withoutEmpty({ ...raw, ...Object.fromEntries(named) });
}
