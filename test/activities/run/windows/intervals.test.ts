/** Hours of belay.yaml against what local clocks show, over clock changes, midnight and leap days. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { endOfHours, isWithin, intervalsOf } from '../../../../activities/run/windows/intervals.ts';
import { judge } from '../../../../activities/run/windows/judge.ts';
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import { type MaintenanceHours, type WeekOfMonth, WEEKDAYS, type Weekday, WEEKS_OF_MONTH } from '../../../../domain/policy/windows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Zones whose clocks change at two o'clock, at midnight, by half an hour, on the southern half of the earth, or never. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Africa/Cairo',
  'America/Havana',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kolkata',
  'UTC',
];

const hours = (start: string, end: string, days: Weekday[] = [...WEEKDAYS], timeZone = 'Europe/Berlin'): MaintenanceHours => ({
  days,
  start,
  end,
  timeZone,
});

/** What a clock and a calendar on the wall show: an oracle that knows nothing of luxon. `date`: midnight of that date, as if it were UTC. */
function wall(atMs: number, timeZone: string): { date: number; minute: number } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const text = Object.fromEntries(parts.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = text;
  return { date: Date.UTC(year, month - 1, day), minute: hour * 60 + minute };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** May the hours begin on this date? Counts the same weekdays of its month, one by one. */
function begins({ days, weeksOfMonth }: MaintenanceHours, date: number): boolean {
  const day = WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7];
  if (day === undefined || !days.includes(day)) return false;
  if (weeksOfMonth === undefined) return true;
  const same = Array.from({ length: 9 }, (_, i) => date + (i - 4) * 7 * DAY).filter(
    (other) => new Date(other).getUTCMonth() === new Date(date).getUTCMonth(),
  );
  return weeksOfMonth.some((week) => (week === 'last' ? same.at(-1) : same[week - 1]) === date);
}

/** Does the clock on the wall show a time within the hours? */
function shown(each: MaintenanceHours, atMs: number): boolean {
  const { date, minute } = wall(atMs, each.timeZone);
  const [from, until] = [minuteOf(each.start), minuteOf(each.end)];
  if (from < until) return begins(each, date) && minute >= from && minute < until;
  return (begins(each, date) && minute >= from) || (begins(each, date - DAY) && minute < until);
}

/** Is there a change of clocks within a day and a half? */
function nearChange(atMs: number, timeZone: string): boolean {
  const offset = (at: number): string =>
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at).find(({ type }) => type === 'timeZoneName')
      ?.value ?? '';
  return offset(atMs - 36 * HOUR) !== offset(atMs + 36 * HOUR);
}

const time = fc
  .integer({ min: 0, max: 24 * 60 - 1 })
  .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`);
const anyHours = fc
  .record(
    {
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      weeksOfMonth: fc.subarray<WeekOfMonth>([...WEEKS_OF_MONTH], { minLength: 1 }),
      start: time,
      end: fc.oneof(time, fc.constant('24:00')),
      timeZone: fc.constantFrom(...ZONES),
    },
    { requiredKeys: ['days', 'start', 'end', 'timeZone'] },
  )
  .filter(({ start, end }) => start !== end);
/** 2023 to 2029: two leap days among them. */
const anyMoment = fc.integer({ min: Date.UTC(2023, 0, 1) / MINUTE, max: Date.UTC(2029, 0, 1) / MINUTE }).map((m) => m * MINUTE);
/** Around the nights in which clocks change, and leap days. */
const hardMoment = fc
  .tuple(
    fc.constantFrom(
      '2024-02-29',
      '2028-02-29',
      '2024-03-31',
      '2024-10-27',
      '2024-03-10',
      '2024-11-03',
      '2024-04-26',
      '2024-10-31',
      '2024-04-07',
      '2024-10-06',
      '2024-09-08',
      '2024-12-31',
    ),
    fc.integer({ min: -36 * 60, max: 36 * 60 }),
  )
  .map(([day, minutes]) => Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE);

describe('P3: hours that come back every week, or in some weeks of the month', () => {
  test('are as the clock on the wall shows them, in any zone, over midnight and on leap days', () => {
    fc.assert(
      fc.property(anyHours, fc.oneof(anyMoment, hardMoment), (each, atMs) => {
        fc.pre(!nearChange(atMs, each.timeZone));
        expect(isWithin([each], atMs)).toBe(shown(each, atMs));
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  test('are never open at a minute that clocks do not show within them where they are put forward or back', () => {
    fc.assert(
      fc.property(anyHours, hardMoment, (each, atMs) => {
        const open = isWithin([each], atMs);
        if (open) expect(shown(each, atMs)).toBe(true);
      }),
      { numRuns: 1000, seed: 7 },
    );
  });

  test.each<[string, MaintenanceHours[], string, string | undefined]>([
    ['in the evening: the next morning', [hours('22:00', '07:00')], '2026-01-15T22:30:00Z', '2026-01-16T06:00:00Z'],
    ['over the night in which an hour is missing', [hours('22:00', '07:00')], '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
    [
      'a night and the weekend that follows at once: Monday morning',
      [hours('18:00', '24:00', ['fri']), hours('00:00', '24:00', ['sat', 'sun']), hours('00:00', '07:00', ['mon'])],
      '2026-01-16T20:00:00Z',
      '2026-01-19T06:00:00Z',
    ],
    ['by day: none runs', [hours('22:00', '07:00')], '2026-01-15T12:00:00Z', undefined],
    ['without end: a week later', [hours('00:00', '24:00')], '2026-01-15T12:00:00Z', '2026-01-22T12:00:00Z'],
  ])('end, asked %s', (_name, all, now, end) => {
    expect(endOfHours(all, Date.parse(now))).toBe(end === undefined ? undefined : Date.parse(end));
  });

  test.each<[string, MaintenanceHours, string, string]>([
    ['over midnight', hours('22:00', '04:00', ['sat']), '2026-01-17T21:00:00Z', '2026-01-18T03:00:00Z'],
    ['to midnight', hours('20:00', '24:00', ['sat']), '2026-01-17T19:00:00Z', '2026-01-17T23:00:00Z'],
    ['over the night in which an hour is missing', hours('22:00', '04:00', ['sat']), '2026-03-28T21:00:00Z', '2026-03-29T02:00:00Z'],
    ['over the night with an hour too many', hours('22:00', '04:00', ['sat']), '2026-10-24T20:00:00Z', '2026-10-25T03:00:00Z'],
    [
      'beginning in the missing hour: when clocks are put forward',
      hours('02:30', '06:00', ['sun']),
      '2026-03-29T01:00:00Z',
      '2026-03-29T04:00:00Z',
    ],
    ['ending in the missing hour: likewise', hours('22:00', '02:30', ['sat']), '2026-03-28T21:00:00Z', '2026-03-29T01:00:00Z'],
    [
      'beginning in the hour that comes twice: the second time',
      hours('02:30', '06:00', ['sun']),
      '2026-10-25T01:30:00Z',
      '2026-10-25T05:00:00Z',
    ],
    ['ending in it: the first time', hours('22:00', '02:30', ['sat']), '2026-10-24T20:00:00Z', '2026-10-25T00:30:00Z'],
    ['from a leap day into March', hours('23:00', '01:00', ['thu']), '2024-02-29T22:00:00Z', '2024-03-01T00:00:00Z'],
    ['where midnight itself is missing', hours('00:00', '02:00', ['fri'], 'Africa/Cairo'), '2024-04-25T22:00:00Z', '2024-04-25T23:00:00Z'],
  ])('%s', (_, each, start, end) => {
    const found = intervalsOf([each], Date.parse(start) - HOUR, Date.parse(start) + HOUR);
    expect(found.map(({ startMs, endMs }) => [new Date(startMs).toISOString(), new Date(endMs).toISOString()])).toEqual([
      [start.replace('Z', '.000Z'), end.replace('Z', '.000Z')],
    ]);
  });

  test('two that touch are one window', () => {
    const both = [hours('22:00', '24:00', ['sat']), hours('00:00', '03:00', ['sun'])];
    expect(intervalsOf(both, Date.parse('2026-01-17T20:00:00Z'), Date.parse('2026-01-18T12:00:00Z'))).toHaveLength(1);
  });
});

describe('P2, P3: a verdict', () => {
  const policy = fc.record({
    maintenance: fc.array(anyHours, { maxLength: 3 }),
    lastStartMs: fc.integer({ min: 0, max: 90 }).map((m) => m * MINUTE),
    needMs: fc.integer({ min: 0, max: 300 }).map((m) => m * MINUTE),
  });

  test('says open only where every minute of what is needed lies within a window; what it names as next is open then, and no earlier hour is', () => {
    fc.assert(
      fc.property(policy, fc.oneof(anyMoment, hardMoment), ({ needMs, ...change }, nowMs) => {
        const all = { ...DEFAULT_WINDOWS, ...change };
        const ask = (atMs: number) => judge(all, { phases: ['control-plane'], needMs }, atMs);
        const verdict = ask(nowMs);
        const neededMs = Math.max(needMs, all.lastStartMs);
        if (verdict.kind === 'open' && all.maintenance.length > 0)
          for (let atMs = nowMs; atMs < nowMs + neededMs; atMs += 7 * MINUTE) expect(isWithin(all.maintenance, atMs)).toBe(true);
        if (verdict.kind === 'closed' && verdict.opensAt !== undefined) {
          const opensMs = Date.parse(verdict.opensAt);
          expect(ask(opensMs).kind).toBe('open');
          for (let atMs = nowMs; atMs < Math.min(opensMs, nowMs + 8 * HOUR); atMs += HOUR) expect(ask(atMs).kind).toBe('closed');
        }
      }),
      { numRuns: 120, seed: 7 },
    );
  });
});

test.each([
  ['02:15', '02:45', '2026-10-25T00:15:00.000Z', '2026-10-25T00:45:00.000Z'],
  ['01:30', '02:30', '2026-10-24T23:30:00.000Z', '2026-10-25T00:30:00.000Z'],
  ['02:30', '03:30', '2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00.000Z'],
])('in the night whose third hour comes twice, %s to %s runs once and is never longer than it says', (start, end, from, until) => {
  const [dayStart, dayEnd] = [Date.parse('2026-10-24T22:00:00Z'), Date.parse('2026-10-25T12:00:00Z')];
  expect(intervalsOf([hours(start, end)], dayStart, dayEnd)).toEqual([{ startMs: Date.parse(from), endMs: Date.parse(until) }]);
});
