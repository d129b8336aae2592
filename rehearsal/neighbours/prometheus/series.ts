/** Makes series: gauges, and counters that know their rate. */
import type { Series } from './evaluate.ts';

export function series(name: string, labels: Record<string, string>, value: number): Series {
  return { labels: { __name__: name, ...labels }, value };
}

export function counter(name: string, labels: Record<string, string>, perSecond: number, sinceSec: number): Series {
  return { ...series(name, labels, perSecond * sinceSec), perSecond };
}
