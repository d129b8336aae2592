/** Where a whole upgrade fits into a cluster's windows: what a campaign asks before it starts a member. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { nextFit } from '../../../../activities/run/windows/fit.ts';
import { judge } from '../../../../activities/run/windows/judge.ts';
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import type { MaintenanceExclusion, MaintenanceHours, NextFit, WindowPolicy } from '../../../../domain/policy/windows.ts';
import { failure } from '../../../support/thrown.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TUESDAY: MaintenanceHours = { days: ['tue'], weeksOfMonth: [2], start: '02:30', end: '05:00', timeZone: 'Europe/Berlin' };
const freeze = (change: Partial<MaintenanceExclusion> = {}): MaintenanceExclusion => ({
  from: '2026-02-01',
  until: '2026-02-28',
  timeZone: 'Europe/Berlin',
  scope: 'no-upgrades',
  reason: 'Carnival trade',
  ...change,
});
const windows = (maintenance: MaintenanceHours[], exclusions: MaintenanceExclusion[] = []): WindowPolicy => ({
  ...DEFAULT_WINDOWS,
  maintenance,
  exclusions,
});
const fit = (policy: WindowPolicy, now: string, needMs = 2 * HOUR): NextFit => nextFit(policy, { needMs }, Date.parse(now));
const february = {
  kind: 'later',
  opensAt: '2026-02-10T01:30:00.000Z',
  text: 'Tue 2026-02-10 02:30 Europe/Berlin (UTC+01:00)',
  closesAt: '2026-02-10T04:00:00.000Z',
} as const;
const march = {
  kind: 'later',
  opensAt: '2026-03-10T01:30:00.000Z',
  text: 'Tue 2026-03-10 02:30 Europe/Berlin (UTC+01:00)',
  closesAt: '2026-03-10T04:00:00.000Z',
} as const;

describe('F16: the next fit', () => {
  test.each<[string, WindowPolicy, string, number, NextFit]>([
    ['without windows is now, without end', DEFAULT_WINDOWS, '2026-01-13T01:30:00Z', 8 * HOUR, { kind: 'now' }],
    [
      'in a window that has just opened is now, and it closes',
      windows([TUESDAY]),
      '2026-01-13T01:30:00Z',
      2.5 * HOUR,
      { kind: 'now', closesAt: '2026-01-13T04:00:00.000Z' },
    ],
    [
      'in an open window in which p90 does not fit any more is the next month, and says why',
      windows([TUESDAY]),
      '2026-01-13T02:30:00Z',
      2 * HOUR,
      { ...february, why: 'the window closes Tue 2026-01-13 05:00 Europe/Berlin, in 1 h 30 min, and 2 h of it are needed' },
    ],
    [
      'of something quick is held to the last start of the windows',
      windows([TUESDAY]),
      '2026-01-13T03:50:00Z',
      MINUTE,
      { ...february, why: 'the window closes Tue 2026-01-13 05:00 Europe/Berlin, in 10 min, and 15 min of it are needed' },
    ],
    [
      'passes over a window that is too short for a longer one',
      windows([TUESDAY, { days: ['sat'], weeksOfMonth: ['last'], start: '22:00', end: '06:00', timeZone: 'Europe/Berlin' }]),
      '2026-01-13T01:30:00Z',
      6 * HOUR,
      {
        kind: 'later',
        why: 'the window closes Tue 2026-01-13 05:00 Europe/Berlin, in 2 h 30 min, and 6 h of it are needed',
        opensAt: '2026-01-31T21:00:00.000Z',
        text: 'Sat 2026-01-31 22:00 Europe/Berlin (UTC+01:00)',
        closesAt: '2026-02-01T05:00:00.000Z',
      },
    ],
    [
      'of what is longer than any window is never, and the longest is named',
      windows([TUESDAY]),
      '2026-01-13T12:00:00Z',
      6 * HOUR,
      {
        kind: 'never',
        why: 'it is Tue 2026-01-13 13:00 Europe/Berlin, outside the maintenance windows (2nd Tue 02:30–05:00 Europe/Berlin); no opening of the next year lasts the 6 h that are needed; the longest has 2 h 30 min, from Tue 2026-02-10 02:30 Europe/Berlin (UTC+01:00)',
      },
    ],
  ])('%s', (_, policy, now, needMs, expected) => {
    expect(fit(policy, now, needMs)).toEqual(expected);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('of a length of %s is refused, and is not a fit', (needMs) => {
    expect(failure(() => fit(DEFAULT_WINDOWS, '2026-01-13T01:30:00Z', needMs))).toBe(
      `needMs of maintenance windows is ${needMs}; give milliseconds`,
    );
  });

  test('at a moment that is none is refused', () => {
    expect(failure(() => fit(DEFAULT_WINDOWS, 'soon'))).toBe('nowMs of maintenance windows is NaN; give milliseconds');
  });
});

describe('F17: a freeze that is declared in between', () => {
  const closed = 'it is Wed 2026-01-14 13:00 Europe/Berlin, outside the maintenance windows (2nd Tue 02:30–05:00 Europe/Berlin)';

  test.each<[string, MaintenanceExclusion[], NextFit]>([
    ['moves nothing while there is none', [], { ...february, why: closed }],
    [
      'moves the next fit behind it, and is named',
      [freeze()],
      { ...march, why: `${closed}; maintenance exclusion "Carnival trade" (no-upgrades) keeps windows before then closed` },
    ],
    [
      'of minor upgrades does as well',
      [freeze({ scope: 'no-minor-upgrades' })],
      { ...march, why: `${closed}; maintenance exclusion "Carnival trade" (no-minor-upgrades) keeps windows before then closed` },
    ],
    [
      'of nodes alone moves nothing: a run asks for its nodes itself',
      [freeze({ scope: 'no-node-replacement' })],
      { ...february, why: closed },
    ],
    [
      'that cuts the window leaves the rest of it only if the work fits into that',
      [freeze({ from: '2026-02-10T00:00', until: '2026-02-10T03:00' })],
      {
        ...february,
        why: `${closed}; maintenance exclusion "Carnival trade" (no-upgrades) keeps windows before then closed`,
        opensAt: '2026-02-10T02:00:00.000Z',
        text: 'Tue 2026-02-10 03:00 Europe/Berlin (UTC+01:00)',
      },
    ],
    [
      'that leaves too little of it moves the fit',
      [freeze({ from: '2026-02-10T04:00', until: '2026-02-10T04:30' })],
      { ...march, why: `${closed}; maintenance exclusion "Carnival trade" (no-upgrades) keeps windows before then closed` },
    ],
    ['that is over before the window opens moves nothing', [freeze({ until: '2026-02-05' })], { ...february, why: closed }],
  ])('%s', (_, exclusions, expected) => {
    expect(fit(windows([TUESDAY], exclusions), '2026-01-14T12:00:00Z')).toEqual(expected);
  });

  test.each<[string, WindowPolicy, string, NextFit]>([
    [
      'and runs now is why nothing starts in an open window, and work resumes after it',
      windows([TUESDAY], [freeze()]),
      '2026-02-10T02:00:00Z',
      { ...march, why: 'maintenance exclusion "Carnival trade" (no-upgrades) lasts until Sun 2026-03-01 00:00 Europe/Berlin' },
    ],
    [
      'and begins too soon is why nothing starts before it, where there are no windows',
      windows([], [freeze()]),
      '2026-01-31T22:00:00Z',
      {
        kind: 'later',
        why: 'maintenance exclusion "Carnival trade" (no-upgrades) begins Sun 2026-02-01 00:00 Europe/Berlin, in 1 h, and 2 h are needed',
        opensAt: '2026-02-28T23:00:00.000Z',
        text: 'Sun 2026-03-01 00:00 Europe/Berlin (UTC+01:00)',
      },
    ],
    [
      'and lasts for years leaves none within a year',
      windows([TUESDAY], [freeze({ until: '2029-01-01' })]),
      '2026-02-10T02:00:00Z',
      {
        kind: 'never',
        why: 'maintenance exclusion "Carnival trade" (no-upgrades) lasts until Tue 2029-01-02 00:00 Europe/Berlin; no window opens within a year',
      },
    ],
  ])('%s', (_, policy, now, expected) => {
    expect(fit(policy, now)).toEqual(expected);
  });
});

describe('F43: a monthly window in the night in which clocks change', () => {
  const sunday: MaintenanceHours = { ...TUESDAY, days: ['sun'], weeksOfMonth: ['last'] };

  test.each<[string, MaintenanceHours, string, number, NextFit]>([
    [
      'forward: it opens when they do, and has half an hour less',
      sunday,
      '2026-03-20T12:00:00Z',
      2 * HOUR,
      {
        kind: 'later',
        why: 'it is Fri 2026-03-20 13:00 Europe/Berlin, outside the maintenance windows (last Sun 02:30–05:00 Europe/Berlin)',
        opensAt: '2026-03-29T01:00:00.000Z',
        text: 'Sun 2026-03-29 03:00 Europe/Berlin (UTC+02:00)',
        closesAt: '2026-03-29T03:00:00.000Z',
      },
    ],
    [
      'forward: what needs all of it waits for the next month',
      sunday,
      '2026-03-20T12:00:00Z',
      2.5 * HOUR,
      {
        kind: 'later',
        why: 'it is Fri 2026-03-20 13:00 Europe/Berlin, outside the maintenance windows (last Sun 02:30–05:00 Europe/Berlin)',
        opensAt: '2026-04-26T00:30:00.000Z',
        text: 'Sun 2026-04-26 02:30 Europe/Berlin (UTC+02:00)',
        closesAt: '2026-04-26T03:00:00.000Z',
      },
    ],
    [
      'back: it opens the second time, once',
      sunday,
      '2026-10-20T12:00:00Z',
      2.5 * HOUR,
      {
        kind: 'later',
        why: 'it is Tue 2026-10-20 14:00 Europe/Berlin, outside the maintenance windows (last Sun 02:30–05:00 Europe/Berlin)',
        opensAt: '2026-10-25T01:30:00.000Z',
        text: 'Sun 2026-10-25 02:30 Europe/Berlin (UTC+01:00)',
        closesAt: '2026-10-25T04:00:00.000Z',
      },
    ],
  ])('%s', (_, hours, now, needMs, expected) => {
    expect(fit(windows([hours]), now, needMs)).toEqual(expected);
  });
});

test('F16, F17: what is named as the next fit is open for the whole length by the verdict of a step, and no earlier one is', () => {
  const policies = fc.record({
    weeksOfMonth: fc.subarray<1 | 2 | 3 | 4 | 'last'>([1, 2, 3, 4, 'last'], { minLength: 1 }),
    day: fc.constantFrom('mon' as const, 'tue' as const, 'sun' as const),
    from: fc.integer({ min: 1, max: 28 }),
    needMs: fc.integer({ min: 1, max: 150 }).map((m) => m * MINUTE),
    nowMs: fc.integer({ min: 0, max: 365 * 24 }).map((h) => Date.parse('2026-01-01T00:00:00Z') + h * HOUR),
  });
  fc.assert(
    fc.property(policies, ({ weeksOfMonth, day, from, needMs, nowMs }) => {
      const date = (n: number): string => `2026-03-${String(n).padStart(2, '0')}`;
      const policy = windows([{ ...TUESDAY, days: [day], weeksOfMonth }], [freeze({ from: date(from), until: date(from + 3) })]);
      const verdict = (atMs: number) => judge(policy, { phases: ['control-plane'], needMs }, atMs).kind;
      const found = nextFit(policy, { needMs }, nowMs);
      if (found.kind === 'now') expect(verdict(nowMs)).toBe('open');
      if (found.kind !== 'later') return;
      const opensMs = Date.parse(found.opensAt);
      expect(verdict(opensMs)).toBe('open');
      expect(Date.parse(found.closesAt ?? '')).toBeGreaterThanOrEqual(opensMs + needMs);
      for (let atMs = nowMs; atMs < Math.min(opensMs, nowMs + 60 * HOUR); atMs += 5 * HOUR) expect(verdict(atMs)).toBe('closed');
    }),
    { numRuns: 60, seed: 7 },
  );
});
