/** Openings: stretches of the maintenance windows that no exclusion cuts. */
import { defined } from '../../../domain/core/defined.ts';
import type { ExclusionScope, MaintenanceExclusion, WindowPolicy } from '../../../domain/policy/windows.ts';
import { exclusionInterval, type Interval, intervalsOf, without } from './intervals.ts';

const DAY_MS = 24 * 60 * 60_000;
/** A fortnight has every weekly window; a month and a half every monthly one; exclusions may last for months. */
export const HORIZON_MS = 400 * DAY_MS;
const HORIZONS_MS = [15 * DAY_MS, 45 * DAY_MS, HORIZON_MS];

/** An exclusion with the time that it takes. */
export interface Excluded {
  exclusion: MaintenanceExclusion;
  interval: Interval;
}

/** Exclusions of the scopes that stop the work and are not over yet. */
export function excludedFrom(
  { exclusions }: Pick<WindowPolicy, 'exclusions'>,
  stops: (scope: ExclusionScope) => boolean,
  fromMs: number,
): Excluded[] {
  return exclusions
    .filter(({ scope }) => stops(scope))
    .map((exclusion) => ({ exclusion, interval: exclusionInterval(exclusion) }))
    .filter(({ interval }) => interval.endMs > fromMs);
}

/** Maintenance windows as they would be without exclusions. */
export function windowsIn({ maintenance }: Pick<WindowPolicy, 'maintenance'>, fromMs: number, untilMs: number): Interval[] {
  return maintenance.length === 0 ? [{ startMs: -Infinity, endMs: Infinity }] : intervalsOf(maintenance, fromMs, untilMs);
}

/** From those that are open at `fromMs` to those of the day of `untilMs`. */
export function openingsIn(policy: WindowPolicy, excluded: readonly Excluded[], fromMs: number, untilMs: number): Interval[] {
  return without(
    windowsIn(policy, fromMs, untilMs),
    excluded.map(({ interval }) => interval),
  );
}

/** What was found for work of some length, from now on. */
export interface Fit {
  /** The opening that is open now, long enough or not. */
  around?: Interval;
  /** The first opening that is long enough: `around`, or a later one. Absent: none within a year. */
  fits?: Interval;
}

/** Looks further ahead only where nothing nearer fits. */
export function findFit(policy: WindowPolicy, excluded: readonly Excluded[], needMs: number, nowMs: number): Fit {
  let around: Interval | undefined;
  for (const horizonMs of HORIZONS_MS) {
    const open = openingsIn(policy, excluded, nowMs, nowMs + horizonMs);
    around = open.find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
    const fits = open.find(({ startMs, endMs }) => endMs > nowMs && endMs - Math.max(startMs, nowMs) >= needMs);
    if (fits !== undefined) return defined({ around, fits });
  }
  return defined({ around });
}

/** Why work cannot begin now. `around`: an opening that is too short. `cutBy`: the exclusion that ends it. */
export interface Closed {
  running?: Excluded;
  around?: Interval;
  cutBy?: Excluded;
}

export function closedBy(around: Interval | undefined, excluded: readonly Excluded[], nowMs: number): Closed {
  const running = excluded.find(({ interval }) => interval.startMs <= nowMs);
  const cutBy = excluded.find(({ interval }) => interval.startMs === around?.endMs);
  return defined({ running, around, cutBy });
}

/** The longest opening of the year from now on. */
export function longestOpening(policy: WindowPolicy, excluded: readonly Excluded[], nowMs: number): Interval | undefined {
  return openingsIn(policy, excluded, nowMs, nowMs + HORIZON_MS)
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, nowMs), endMs }))
    .reduce<Interval | undefined>(
      (longest, each) => (longest === undefined || each.endMs - each.startMs > longest.endMs - longest.startMs ? each : longest),
      undefined,
    );
}
