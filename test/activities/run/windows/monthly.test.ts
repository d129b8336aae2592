/** Windows of some weeks of the month: which dates, and one opening in the night in which clocks change. */
import { describe, expect, test } from 'vitest';
import { intervalsOf } from '../../../../activities/run/windows/intervals.ts';
import type { MaintenanceHours, WeekOfMonth, Weekday } from '../../../../domain/policy/windows.ts';

const DAY = 24 * 60 * 60_000;

const hours = (start: string, end: string, days: Weekday[], timeZone = 'Europe/Berlin'): MaintenanceHours => ({
  days,
  start,
  end,
  timeZone,
});

describe('F43: monthly windows', () => {
  const monthly = (weeksOfMonth: WeekOfMonth[], each: MaintenanceHours): MaintenanceHours => ({ ...each, weeksOfMonth });
  const found = (each: MaintenanceHours, from: string, until: string): string[] =>
    intervalsOf([each], Date.parse(from), Date.parse(until)).map(({ startMs, endMs }) =>
      [startMs, endMs].map((atMs) => new Date(atMs).toISOString().slice(0, 16)).join(' '),
    );

  test.each<[string, MaintenanceHours, string[]]>([
    [
      'the second Tuesday, over both changes of clocks',
      monthly([2], hours('02:30', '05:00', ['tue'])),
      [
        '2026-01-13T01:30 2026-01-13T04:00',
        '2026-02-10T01:30 2026-02-10T04:00',
        '2026-03-10T01:30 2026-03-10T04:00',
        '2026-04-14T00:30 2026-04-14T03:00',
        '2026-05-12T00:30 2026-05-12T03:00',
      ],
    ],
    [
      'the first and the third, and the last where a month has five',
      monthly([1, 3, 'last'], hours('22:00', '23:00', ['thu'], 'UTC')),
      [
        '2026-01-01T22:00 2026-01-01T23:00',
        '2026-01-15T22:00 2026-01-15T23:00',
        '2026-01-29T22:00 2026-01-29T23:00',
        '2026-02-05T22:00 2026-02-05T23:00',
        '2026-02-19T22:00 2026-02-19T23:00',
        '2026-02-26T22:00 2026-02-26T23:00',
        '2026-03-05T22:00 2026-03-05T23:00',
        '2026-03-19T22:00 2026-03-19T23:00',
        '2026-03-26T22:00 2026-03-26T23:00',
        '2026-04-02T22:00 2026-04-02T23:00',
        '2026-04-16T22:00 2026-04-16T23:00',
        '2026-04-30T22:00 2026-04-30T23:00',
        '2026-05-07T22:00 2026-05-07T23:00',
        '2026-05-21T22:00 2026-05-21T23:00',
        '2026-05-28T22:00 2026-05-28T23:00',
      ],
    ],
    [
      'the last Saturday, by the date on which it begins, into the next month',
      monthly(['last'], hours('22:00', '04:00', ['sat'])),
      [
        '2026-01-31T21:00 2026-02-01T03:00',
        '2026-02-28T21:00 2026-03-01T03:00',
        '2026-03-28T21:00 2026-03-29T02:00',
        '2026-04-25T20:00 2026-04-26T02:00',
        '2026-05-30T20:00 2026-05-31T02:00',
      ],
    ],
    [
      'the local date counts, not the one of UTC: the second Tuesday of Kiritimati begins on a Monday',
      monthly([2], hours('02:30', '05:00', ['tue'], 'Pacific/Kiritimati')),
      [
        '2026-01-12T12:30 2026-01-12T15:00',
        '2026-02-09T12:30 2026-02-09T15:00',
        '2026-03-09T12:30 2026-03-09T15:00',
        '2026-04-13T12:30 2026-04-13T15:00',
        '2026-05-11T12:30 2026-05-11T15:00',
      ],
    ],
  ])('%s', (_, each, openings) => {
    expect(found(each, '2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z')).toEqual(openings);
  });

  test.each<[string, MaintenanceHours, string, string[]]>([
    [
      'the second Tuesday whose hour is missing, in Cairo: when clocks go forward',
      monthly([2], hours('01:30', '05:00', ['tue'], 'Africa/Cairo')),
      '1983-07-12',
      ['1983-07-11T23:00 1983-07-12T02:00'],
    ],
    [
      'the first Tuesday whose hour comes twice, in Baghdad: the second time',
      monthly([1], hours('03:30', '05:00', ['tue'], 'Asia/Baghdad')),
      '2002-10-01',
      ['2002-10-01T00:30 2002-10-01T02:00'],
    ],
    [
      'the second Sunday whose hour is missing, in New York',
      monthly([2], hours('02:30', '05:00', ['sun'], 'America/New_York')),
      '2026-03-08',
      ['2026-03-08T07:00 2026-03-08T09:00'],
    ],
    [
      'the first Sunday whose hour comes twice, in New York',
      monthly([1], hours('01:30', '05:00', ['sun'], 'America/New_York')),
      '2026-11-01',
      ['2026-11-01T06:30 2026-11-01T10:00'],
    ],
    [
      'the last Sunday whose hour is missing, in Berlin',
      monthly(['last'], hours('02:30', '05:00', ['sun'])),
      '2026-03-29',
      ['2026-03-29T01:00 2026-03-29T03:00'],
    ],
    [
      'the last Sunday whose hour comes twice, in Berlin',
      monthly(['last'], hours('02:30', '05:00', ['sun'])),
      '2026-10-25',
      ['2026-10-25T01:30 2026-10-25T04:00'],
    ],
    ['one on a date that its zone left out is none', monthly(['last'], hours('22:00', '24:00', ['fri'], 'Pacific/Apia')), '2011-12-30', []],
    ['one that would lie wholly in the missing hour is none', monthly(['last'], hours('02:10', '02:50', ['sun'])), '2026-03-29', []],
  ])('%s: one opening in that month', (_, each, date, openings) => {
    const atMs = Date.parse(`${date}T00:00:00Z`);
    expect(found(each, new Date(atMs - 10 * DAY).toISOString(), new Date(atMs + 10 * DAY).toISOString())).toEqual(openings);
  });
});
