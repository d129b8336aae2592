/** JSON that is the same for equal values, whatever the order of their keys: what a plan's hash is made over. */
import { isRecord } from './unknown.ts';

/** Objects with sorted keys; fields that are undefined are left out, as in JSON.stringify. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner));
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
