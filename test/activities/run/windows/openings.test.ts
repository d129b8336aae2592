/** The openings that a cluster's windows had: what a campaign asks before it leaves a member behind. */
import { describe, expect, test } from 'vitest';
import { openingsBetween } from '../../../../activities/run/windows/fit.ts';
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import type { MaintenanceExclusion, MaintenanceHours, WindowPolicy } from '../../../../domain/policy/windows.ts';
import { failure } from '../../../support/thrown.ts';

const HOUR = 60 * 60_000;
const TUESDAY: MaintenanceHours = { days: ['tue'], weeksOfMonth: [2], start: '02:30', end: '05:00', timeZone: 'Europe/Berlin' };
const SUNDAY: MaintenanceHours = { ...TUESDAY, days: ['sun'], weeksOfMonth: ['last'] };
const FREEZE: MaintenanceExclusion = {
  from: '2026-02-01',
  until: '2026-02-28',
  timeZone: 'Europe/Berlin',
  scope: 'no-upgrades',
  reason: 'Carnival trade',
};
const windows = (maintenance: MaintenanceHours[], exclusions: MaintenanceExclusion[] = []): WindowPolicy => ({
  ...DEFAULT_WINDOWS,
  maintenance,
  exclusions,
});

describe('F15: openings that a member has had', () => {
  const between = (policy: WindowPolicy, from: string, until: string, needMs = 2 * HOUR) =>
    openingsBetween(policy, { needMs }, Date.parse(from), Date.parse(until)).map(
      ({ opensAt, closesAt }) => `${opensAt} ${closesAt ?? '-'}`,
    );
  const [january, feb] = ['2026-01-13T01:30:00.000Z 2026-01-13T04:00:00.000Z', '2026-02-10T01:30:00.000Z 2026-02-10T04:00:00.000Z'];
  const twoDays: MaintenanceHours = { days: ['mon', 'tue'], start: '00:00', end: '24:00', timeZone: 'Europe/Berlin' };

  test.each<[string, WindowPolicy, string, string, string[]]>([
    ['none while its window is closed', windows([TUESDAY]), '2026-01-14T00:00:00Z', '2026-02-10T01:30:00Z', []],
    ['each of two months', windows([TUESDAY]), '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', [january, feb]],
    [
      'what is left of one that was open already',
      windows([TUESDAY]),
      '2026-01-13T02:00:00Z',
      '2026-02-01T00:00:00Z',
      ['2026-01-13T02:00:00.000Z 2026-01-13T04:00:00.000Z'],
    ],
    ['not what is left of one if the work does not fit', windows([TUESDAY]), '2026-01-13T02:01:00Z', '2026-02-01T00:00:00Z', []],
    ['one that is still open, by its end', windows([TUESDAY]), '2026-01-01T00:00:00Z', '2026-01-13T01:31:00Z', [january]],
    ['not one that a freeze closed', windows([TUESDAY], [FREEZE]), '2026-01-14T00:00:00Z', '2026-03-01T00:00:00Z', []],
    [
      'one of two days that follow at once, though the second has not begun',
      windows([twoDays]),
      '2026-01-11T00:00:00Z',
      '2026-01-12T23:00:00Z',
      ['2026-01-11T23:00:00.000Z 2026-01-13T23:00:00.000Z'],
    ],
    ['always, without windows', DEFAULT_WINDOWS, '2026-01-14T00:00:00Z', '2026-01-15T00:00:00Z', ['2026-01-14T00:00:00.000Z -']],
    ['none in no time', windows([TUESDAY]), '2026-01-13T02:00:00Z', '2026-01-13T02:00:00Z', []],
  ])('%s', (_, policy, from, until, expected) => {
    expect(between(policy, from, until)).toEqual(expected);
  });

  test('none of no length, where a freeze begins at the first moment', () => {
    const frozen = { ...windows([], [FREEZE]), lastStartMs: 0 };
    expect(between(frozen, '2026-01-31T23:00:00Z', '2026-02-10T00:00:00Z', 0)).toEqual([]);
  });

  test('an end that is none is refused instead of being searched for ever', () => {
    const search = () => openingsBetween(windows([TUESDAY]), { needMs: 0 }, 0, Number.POSITIVE_INFINITY);
    expect(failure(search)).toBe('untilMs of maintenance windows is Infinity; give milliseconds');
  });
});

test.each([
  ['2026-03-01', '2026-04-01', 'Sun 2026-03-29 03:00 Europe/Berlin (UTC+02:00)'],
  ['2026-10-01', '2026-11-01', 'Sun 2026-10-25 02:30 Europe/Berlin (UTC+01:00)'],
])('F43: from %s to %s, with a change of clocks, it opens once: %s', (from, until, text) => {
  expect(openingsBetween(windows([SUNDAY]), { needMs: 0 }, Date.parse(from), Date.parse(until)).map((each) => each.text)).toEqual([text]);
});
