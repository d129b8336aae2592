/** Cuts the namespaces of a mesh into waves: one first, then by the configured shares, the quietest first. */
import type { MeshNamespaceFact } from '../../facts/facts.ts';

/**
 * Namespaces by wave. The first wave is a single namespace; `shares` (of all namespaces, 1 is "the rest") cut what follows,
 * and whatever they leave over is a last wave. Least traffic first where Prometheus knows it, then by name.
 */
export function namespaceWaves(namespaces: readonly MeshNamespaceFact[], shares: readonly number[]): string[][] {
  const names = namespaces.toSorted(byTraffic).map((ns) => ns.name);
  const waves: string[][] = [names.slice(0, 1)];
  let next = 1;
  for (const share of [...shares, 1]) {
    const count = share >= 1 ? names.length : Math.max(1, Math.ceil(share * names.length));
    waves.push(names.slice(next, next + count));
    next += count;
  }
  return waves.filter((wave) => wave.length > 0);
}

/** Namespaces without a figure come after those with one: unknown traffic may be heavy. */
function byTraffic(a: MeshNamespaceFact, b: MeshNamespaceFact): number {
  const byRate = (a.requestsPerSecond ?? Infinity) - (b.requestsPerSecond ?? Infinity);
  if (Number.isFinite(byRate) && byRate !== 0) return byRate;
  if (byRate === Infinity || byRate === -Infinity) return byRate > 0 ? 1 : -1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
