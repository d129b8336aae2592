/** Percentiles over plays, by nearest rank. */
import type { Spread } from '../types.ts';

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: rank(sorted, 0.5), p90: rank(sorted, 0.9) };
}

const rank = (sorted: readonly number[], share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

/** Values by key, 0 for plays that have none. */
export function byKey<K>(maps: readonly ReadonlyMap<K, number>[]): Map<K, number[]> {
  const keys = new Set(maps.flatMap((map) => [...map.keys()]));
  return new Map([...keys].map((key) => [key, maps.map((map) => map.get(key) ?? 0)]));
}
