/** When runs of many clusters may start, over a year: for forecasts, which ask often. Pure but for what it remembers. */
import { stopsPhase, type WindowPolicy } from '../../../domain/policy/windows.ts';
import type { Interval } from './intervals.ts';
import { START_PHASES } from './fit.ts';
import { excludedFrom, HORIZON_MS, openingsIn } from './openings.ts';

/**
 * The first moment from `atMs` on from which a run that needs so long fits into one opening, as the campaign judges it when it starts the run; epoch
 * milliseconds. undefined: none within a year. Asked from the earliest moment on, its windows are worked out once.
 */
export function startsIn(policy: WindowPolicy): (atMs: number, needMs: number) => number | undefined {
  let known: { fromMs: number; openings: Interval[] } | undefined;
  const openingsFrom = (atMs: number): Interval[] => {
    // A forecast may come to another year.
    if (known === undefined || atMs < known.fromMs || atMs - known.fromMs > HORIZON_MS / 2) {
      const excluded = excludedFrom(policy, (scope) => START_PHASES.some((phase) => stopsPhase(scope, phase)), atMs);
      known = { fromMs: atMs, openings: openingsIn(policy, excluded, atMs, atMs + 2 * HORIZON_MS) };
    }
    return known.openings;
  };
  return (atMs, askedMs) => {
    const needMs = Math.max(askedMs, policy.lastStartMs);
    const fits = openingsFrom(atMs).find(({ startMs, endMs }) => endMs > atMs && endMs - Math.max(startMs, atMs) >= needMs);
    return fits === undefined ? undefined : Math.max(fits.startMs, atMs);
  };
}
