/** When runs of clusters may start in windows, over months: what forecasts of campaigns rest on. */
import { describe, expect, test } from 'vitest';
import { startsIn } from '../../../../activities/run/windows/ahead.ts';
import { forecastRings } from '../../../../domain/plan/campaign/forecast.ts';
import { planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import type { MaintenanceExclusion, WindowPolicy } from '../../../../domain/policy/windows.ts';
import { campaignPolicy, fleetMember, HOUR, ringPolicy } from '../../../support/campaigns.ts';

const timeZone = 'Europe/Berlin';
const policy = (over: Partial<WindowPolicy> = {}): WindowPolicy => ({
  maintenance: [{ days: ['tue'], weeksOfMonth: [2], start: '02:30', end: '05:30', timeZone }],
  exclusions: [],
  quietHours: [],
  outside: 'queue',
  lastStartMs: HOUR / 2,
  ...over,
});
const freeze = (from: string, until: string, scope: MaintenanceExclusion['scope'] = 'no-upgrades'): MaintenanceExclusion => ({
  from,
  until,
  timeZone,
  scope,
  reason: 'quarter ends',
});
const start = (of: WindowPolicy, at: string, needMs = 0): string | undefined => {
  const found = startsIn(of)(Date.parse(at), needMs);
  return found === undefined ? undefined : new Date(found).toISOString();
};

describe('the first start', () => {
  test.each<[string, WindowPolicy, string, number, string | undefined]>([
    ['F43: the second Tuesday, by the clock of winter', policy(), '2026-11-26T12:00:00Z', 0, '2026-12-08T01:30:00.000Z'],
    ['F43: and by that of summer', policy(), '2027-04-01T12:00:00Z', 0, '2027-04-13T00:30:00.000Z'],
    ['now, in the middle of it', policy(), '2026-12-08T02:00:00Z', HOUR, '2026-12-08T02:00:00.000Z'],
    ['a month later, where too little of it is left', policy(), '2026-12-08T02:00:00Z', 3 * HOUR, '2027-01-12T01:30:00.000Z'],
    ['with lastStart, where no length is known', policy(), '2026-12-08T04:10:00Z', 0, '2027-01-12T01:30:00.000Z'],
    [
      'F43: in the night in which clocks go forward its 02:30 is the change',
      policy({ maintenance: [{ days: ['sun'], start: '02:30', end: '05:30', timeZone }] }),
      '2027-03-27T12:00:00Z',
      0,
      '2027-03-28T01:00:00.000Z',
    ],
    [
      'F43: in the night in which they go back it opens at the second pass',
      policy({ maintenance: [{ days: ['sun'], start: '02:30', end: '05:30', timeZone }] }),
      '2027-10-30T12:00:00Z',
      0,
      '2027-10-31T01:30:00.000Z',
    ],
    [
      'F18: over a freeze',
      policy({ exclusions: [freeze('2026-12-01', '2026-12-31')] }),
      '2026-11-26T12:00:00Z',
      0,
      '2027-01-12T01:30:00.000Z',
    ],
    [
      'a freeze of nodes stops the start as well, as the campaign judges it',
      policy({ exclusions: [freeze('2026-12-01', '2026-12-31', 'no-node-replacement')] }),
      '2026-11-26T12:00:00Z',
      0,
      '2027-01-12T01:30:00.000Z',
    ],
    ['never, where no opening is long enough', policy(), '2026-11-26T12:00:00Z', 4 * HOUR, undefined],
    ['at once, without windows', policy({ maintenance: [] }), '2026-11-26T12:00:00Z', 100 * HOUR, '2026-11-26T12:00:00.000Z'],
  ])('%s', (_title, of, at, needMs, expected) => {
    expect(start(of, at, needMs)).toBe(expected);
  });
});

test('asked of a later and then of an earlier moment it answers as if it were asked anew', () => {
  const starts = startsIn(policy());
  const times = ['2026-11-26T12:00:00Z', '2028-01-01T00:00:00Z', '2026-11-26T12:00:00Z', '2027-12-01T00:00:00Z', '2029-02-01T00:00:00Z'];
  for (const at of times) expect(starts(Date.parse(at), HOUR)).toBe(startsIn(policy())(Date.parse(at), HOUR));
});

test('F18: a ring that a freeze divides: what started before it goes on, the rest follows it, and the next ring is later by as much', () => {
  const nights = policy({
    maintenance: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], start: '22:00', end: '02:00', timeZone }],
    exclusions: [freeze('2026-11-27', '2026-11-30')],
  });
  const starts = startsIn(nights);
  const fleet = [
    ...['a', 'b', 'c'].map((each) => fleetMember(`dev-${each}`, { p90Ms: 2 * HOUR })),
    fleetMember('prod-a', { environment: 'prod', p90Ms: 2 * HOUR }),
  ];
  const rings = [ringPolicy('dev', { parallel: { kind: 'count', value: 1 }, soakMs: 24 * HOUR }), ringPolicy('prod')];
  const { rings: planned } = planCampaign(campaignPolicy({ rings }), fleet, '2026-11-25T12:00:00.000Z');
  const of = (fits?: Parameters<typeof forecastRings>[2]) =>
    forecastRings(planned, '2026-11-25T12:00:00.000Z', fits).map(({ ring, from, arrives }) => [ring, from, arrives]);
  expect(of((_cluster, atMs, needMs) => starts(atMs, needMs))).toEqual([
    // Two in the night before the freeze, 22:00 and 00:00; the third has too little left of the evening of the 26th.
    ['dev', '2026-11-25T21:00:00.000Z', '2026-11-26T23:00:00.000Z'],
    ['prod', '2026-11-30T23:00:00.000Z', '2026-12-01T01:00:00.000Z'],
  ]);
  expect(of()).toEqual([
    ['dev', '2026-11-25T12:00:00.000Z', '2026-11-25T18:00:00.000Z'],
    ['prod', '2026-11-26T18:00:00.000Z', '2026-11-26T20:00:00.000Z'],
  ]);
});
