/** What a watched check was over time, for a picture of it: few points, whatever the length of the watch. Pure. */
import { type Limit, limitOf, type Look, type WatchedCheck } from './checks.ts';
import { defined } from '../core/defined.ts';

/** As many as can be told apart on a phone. */
export const MAX_POINTS = 60;

/** Seconds since the watch began, and what was seen; null: nothing. */
export type CurvePoint = [atSec: number, seen: number | null];

/** Travels in histories: a few hundred bytes each. */
export interface HealthCurve {
  check: string;
  /** When the watch began, ISO 8601. */
  startedAt: string;
  points: CurvePoint[];
  /** Absent: there was nothing to compare with. */
  limit?: Limit;
  /** Before the upgrade. */
  baseline?: number;
}

/** One more look. Where there are too many, neighbours become one, which is the worse of the two. */
export function addPoint(points: readonly CurvePoint[], { check }: WatchedCheck, look: Look, atMs: number): CurvePoint[] {
  const seen = look.kind === 'value' && Number.isFinite(look.value) ? Number(look.value.toPrecision(4)) : null;
  const all: CurvePoint[] = [...points, [Math.round(atMs / 1000), seen]];
  if (all.length <= MAX_POINTS) return all;
  const low = check.failWhen.kind === 'value' && check.failWhen.operator.startsWith('<');
  return Array.from({ length: Math.ceil(all.length / 2) }, (_, pair) =>
    all.slice(2 * pair, 2 * pair + 2).reduce((a, b) => (isWorse(b[1], a[1], low) ? b : a)),
  );
}

/** The curve of one check whose watch began at that moment. */
export function curveOf(watched: WatchedCheck, points: readonly CurvePoint[], startedAt: string): HealthCurve {
  const { check, baseline } = watched;
  const limit = limitOf(check.failWhen, baseline);
  return {
    check: check.name,
    startedAt,
    points: [...points],
    ...(limit === undefined ? {} : { limit: { operator: limit.operator, value: limit.value } }),
    ...defined({ baseline }),
  };
}

/** A gap is no worse than anything: the looks beside it are what there is to see. */
function isWorse(a: number | null, b: number | null, low: boolean): boolean {
  if (a === null || b === null) return b === null;
  return low ? a < b : a > b;
}
