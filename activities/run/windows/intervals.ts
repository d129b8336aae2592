/** Hours of belay.yaml as stretches of time. Where a clock change makes a local time doubtful, a window opens later and closes earlier. */
import { DateTime } from 'luxon';
import { type MaintenanceExclusion, type WeeklyHours, WEEKDAYS } from '../../../domain/policy/windows.ts';

/** Epoch milliseconds, the end not included. */
export interface Interval {
  startMs: number;
  endMs: number;
}

/** Stretches in which any of these hours run, merged, from those that run at `fromMs` to those that begin before `untilMs`. */
export function weeklyIntervals(hours: readonly WeeklyHours[], fromMs: number, untilMs: number): Interval[] {
  const all = hours.flatMap((each) => {
    const found: Interval[] = [];
    // From the day before: its hours may run over midnight.
    let day = DateTime.fromMillis(fromMs, { zone: each.timeZone }).startOf('day').minus({ days: 1 });
    for (; day.toMillis() < untilMs; day = nextDay(day)) {
      const name = WEEKDAYS[day.weekday - 1];
      if (name === undefined || !each.days.includes(name)) continue;
      const interval = intervalOn(day, each);
      if (interval.endMs > fromMs && interval.endMs > interval.startMs) found.push(interval);
    }
    return found;
  });
  return merged(all);
}

/** Is any of these hours running? */
export function isWithin(hours: readonly WeeklyHours[], atMs: number): boolean {
  return weeklyIntervals(hours, atMs, atMs + 1).some(({ startMs }) => startMs <= atMs);
}

const WEEK_MS = 7 * 24 * 60 * 60_000;

/** When those of these hours that run are over, others that follow at once included; a week later where they never end. undefined: none runs. */
export function endOfHours(hours: readonly WeeklyHours[], atMs: number): number | undefined {
  if (!isWithin(hours, atMs)) return undefined;
  const [running] = weeklyIntervals(hours, atMs, atMs + WEEK_MS);
  return Math.min(running?.endMs ?? atMs, atMs + WEEK_MS);
}

export function exclusionInterval({ from, until, timeZone }: MaintenanceExclusion): Interval {
  const start = readings(local(from, timeZone));
  const end = until.includes('T')
    ? readings(local(until, timeZone)).latestMs
    : nextDay(DateTime.fromISO(until, { zone: timeZone })).toMillis();
  return { startMs: start.earliestMs, endMs: end };
}

/** The parts of `intervals` outside of `holes`. */
export function without(intervals: readonly Interval[], holes: readonly Interval[]): Interval[] {
  return holes.reduce<Interval[]>(
    (left, hole) =>
      left.flatMap(({ startMs, endMs }) =>
        [
          { startMs, endMs: Math.min(endMs, hole.startMs) },
          { startMs: Math.max(startMs, hole.endMs), endMs },
        ].filter((part) => part.endMs > part.startMs),
      ),
    [...intervals],
  );
}

function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { startMs, endMs } of intervals.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = result.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else result.push({ startMs, endMs });
  }
  return result;
}

function intervalOn(day: DateTime, { start, end }: WeeklyHours): Interval {
  const endDay = end > start ? day : nextDay(day);
  const [begins, ends] = [readings(atTime(day, start)), end === '24:00' ? readings(nextDay(day)) : readings(atTime(endDay, end))];
  // Both within the hour that comes twice: its first pass.
  if (ends.earliestMs <= begins.latestMs) return { startMs: begins.earliestMs, endMs: ends.earliestMs };
  return { startMs: begins.latestMs, endMs: ends.earliestMs };
}

/** Its first moment: there are days that begin at one o'clock. */
const nextDay = (day: DateTime): DateTime => day.plus({ days: 1 }).startOf('day');

/** A local time that a day does not have is read as the moment at which clocks are put forward; one that it has twice has two readings. */
interface Asked {
  found: DateTime;
  exists: boolean;
}

function readings(asked: Asked | DateTime): { earliestMs: number; latestMs: number } {
  const { found, exists } = 'found' in asked ? asked : { found: asked, exists: true };
  if (!exists) {
    const atMs = changeBefore(found).toMillis();
    return { earliestMs: atMs, latestMs: atMs };
  }
  const all = found.getPossibleOffsets().map((each) => each.toMillis());
  return { earliestMs: Math.min(...all), latestMs: Math.max(...all) };
}

function atTime(day: DateTime, time: string): Asked {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const found = day.set({ hour, minute, second: 0, millisecond: 0 });
  return { found, exists: found.hour === hour && found.minute === minute };
}

function local(written: string, zone: string): Asked {
  const day = DateTime.fromISO(written.slice(0, 10), { zone });
  return atTime(day, written.slice(11) || '00:00');
}

/** The last change of the clocks before a moment that is at most some hours after it. */
function changeBefore(moment: DateTime): DateTime {
  let at = moment;
  while (at.minus({ minutes: 1 }).offset === moment.offset) at = at.minus({ minutes: 1 });
  return at;
}
