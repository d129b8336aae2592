/** Hours of belay.yaml as stretches of time. Where a clock change makes a local time doubtful, a window opens later and closes earlier. */
import { DateTime } from 'luxon';
import { type MaintenanceExclusion, type MaintenanceHours, WEEKDAYS, type WeeklyHours } from '../../../domain/policy/windows.ts';

const DAY_MS = 24 * 60 * 60_000;
const WEEK_MS = 7 * DAY_MS;

/** Epoch milliseconds, the end not included. */
export interface Interval {
  startMs: number;
  endMs: number;
}

/** Stretches in which any of these hours run, merged, from those that run at `fromMs` to those of the day of `untilMs`. */
export function intervalsOf(hours: readonly MaintenanceHours[], fromMs: number, untilMs: number): Interval[] {
  const all = hours.flatMap((each) => {
    const found: Interval[] = [];
    const last = dateOf(untilMs, each.timeZone);
    // From the day before: its hours may run over midnight.
    for (let date = dateOf(fromMs, each.timeZone) - DAY_MS; date <= last; date += DAY_MS) {
      if (!beginsOn(new Date(date), each)) continue;
      const day = dayOf(new Date(date), each.timeZone);
      const interval = day === undefined ? undefined : intervalOn(day, each);
      if (interval !== undefined && interval.endMs > fromMs && interval.endMs > interval.startMs) found.push(interval);
    }
    return found;
  });
  return merged(all);
}

/** A local date, as its midnight would be in UTC: dates are counted without a look at any clock. */
function dateOf(atMs: number, zone: string): number {
  const { year, month, day } = DateTime.fromMillis(atMs, { zone });
  return Date.UTC(year, month - 1, day);
}

/** The first moment of a date. undefined: its zone left it out, as Samoa did with 2011-12-30. */
function dayOf(date: Date, zone: string): DateTime | undefined {
  const wanted = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  const found = DateTime.fromObject(wanted, { zone }).startOf('day');
  return found.day === wanted.day ? found : undefined;
}

/** The date of the start counts, though the hours may run into another day or month. */
function beginsOn(date: Date, { days, weeksOfMonth }: MaintenanceHours): boolean {
  const name = WEEKDAYS[(date.getUTCDay() + 6) % 7];
  if (name === undefined || !days.includes(name)) return false;
  if (weeksOfMonth === undefined) return true;
  const nth = Math.ceil(date.getUTCDate() / 7);
  const isLast = new Date(date.getTime() + 7 * DAY_MS).getUTCMonth() !== date.getUTCMonth();
  return weeksOfMonth.some((week) => (week === 'last' ? isLast : week === nth));
}

/** Is any of these hours running? */
export function isWithin(hours: readonly MaintenanceHours[], atMs: number): boolean {
  return intervalsOf(hours, atMs, atMs + 1).some(({ startMs }) => startMs <= atMs);
}

/** When those of these hours that run are over, others that follow at once included; a week later where they never end. undefined: none runs. */
export function endOfHours(hours: readonly WeeklyHours[], atMs: number): number | undefined {
  if (!isWithin(hours, atMs)) return undefined;
  const [running] = intervalsOf(hours, atMs, atMs + WEEK_MS);
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
