/** Nodes over time, thinned out for a picture. */
import type { NodesAt } from '../types.ts';
import type { Ledger } from '../play/ledger.ts';

const MOST_POINTS = 200;

/** First and last, and of what lies between the state at even distances; short peaks are in `peak`, not here. */
export function nodesOverTime({ timeline, totalMs }: Pick<Ledger, 'timeline' | 'totalMs'>): NodesAt[] {
  const last = timeline.at(-1);
  if (last === undefined) return [];
  const whole = last.atMs < totalMs ? [...timeline, { ...last, atMs: totalMs }] : timeline;
  if (whole.length <= MOST_POINTS) return [...whole];
  const points: NodesAt[] = [];
  let index = 0;
  const fromMs = whole[0]?.atMs ?? 0;
  const endMs = whole.at(-1)?.atMs ?? 0;
  for (let point = 0; point < MOST_POINTS; point += 1) {
    const atMs = Math.round(fromMs + ((endMs - fromMs) * point) / (MOST_POINTS - 1));
    while (index + 1 < whole.length && (whole[index + 1]?.atMs ?? 0) <= atMs) index += 1;
    const seen = whole[index];
    if (seen !== undefined) points.push({ ...seen, atMs });
  }
  return points;
}
