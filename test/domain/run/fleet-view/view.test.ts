/** What the fleet's overview says of clusters: what is due, what it costs, what is not known. */
import { describe, expect, test } from 'vitest';
import { alarmOf, alarmText } from '../../../../domain/run/fleet-view/alarms.ts';
import { costOfWaiting, usd } from '../../../../domain/run/fleet-view/money.ts';
import { fleetView } from '../../../../domain/run/fleet-view/view.ts';
import { supportOf, type SupportType } from '../../../../domain/run/fleet.ts';
import { AT, BANK, FLEET, member, SHOP } from './fixtures.ts';

describe('two alarms: AWS upgrades a STANDARD cluster, an EXTENDED one starts to cost', () => {
  test.each<[string, SupportType | undefined, string, string]>([
    ['1.34', 'STANDARD', AT, 'AWS will upgrade it for you from 2026-12-02 on (6 days), when standard support of 1.34 ends'],
    ['1.34', 'EXTENDED', AT, 'costs $12 a day more from 2026-12-02 on (6 days), when standard support of 1.34 ends'],
    [
      '1.34',
      undefined,
      AT,
      'from 2026-12-02 on (6 days) AWS will upgrade it for you or it costs $12 a day more: its upgrade policy was not read',
    ],
    ['1.33', 'STANDARD', AT, 'AWS will upgrade it for you at any time: standard support of 1.33 ended on 2026-07-29'],
    [
      '1.33',
      undefined,
      AT,
      'costs $12 a day more unless its upgrade policy, which was not read, is STANDARD: 1.33 has been in extended support since 2026-07-29; AWS will upgrade it for you from 2027-07-29 on (245 days)',
    ],
    ['1.31', 'EXTENDED', AT, 'AWS will upgrade it for you at any time: extended support of 1.31 ended on 2026-11-26'],
  ])('%s with policy %s', (minor, policy, at, expected) => {
    const alarm = alarmOf(supportOf(minor, []), at, 60, policy);
    expect(alarm && alarmText(alarm, minor)).toBe(expected);
  });

  test('F48: while it costs, the alarm names the day from which AWS upgrades it by force', () => {
    const alarm = alarmOf(supportOf('1.32', []), '2027-03-20T00:00:00Z', 60, 'EXTENDED');
    expect(alarm && alarmText(alarm, '1.32')).toBe(
      'costs $12 a day more: 1.32 has been in extended support since 2026-03-23; AWS will upgrade it for you from 2027-03-23 on (3 days)',
    );
  });

  test('the days decide; what is not known is no alarm and no all-clear', () => {
    expect(alarmOf(supportOf('1.34', []), AT, 5, 'EXTENDED')).toBeUndefined();
    expect(alarmOf(supportOf('1.34', []), AT, 6, 'EXTENDED')).toMatchObject({ kind: 'extended-starts' });
    expect(alarmOf(supportOf('1.38', []), AT, 60, 'EXTENDED')).toBeUndefined();
    expect(fleetView({ ...FLEET, members: [member('newest', '1.38', 'EXTENDED')] }, 60).outcome).toBe('unread');
  });
});

describe('cost of waiting', () => {
  test.each<[string, SupportType | undefined, string, number, ReturnType<typeof costOfWaiting>]>([
    ['1.32', 'EXTENDED', AT, 60, { usdPerDay: 12, usdWithin: 720 }],
    // Charged from the first moment of 2 December, UTC: 54 days, 8 hours and 30 minutes of 60 days.
    ['1.34', 'EXTENDED', AT, 60, { usdPerDay: 0, usdWithin: 652.25 }],
    ['1.34', 'EXTENDED', '2026-12-01T23:00:00Z', 1, { usdPerDay: 0, usdWithin: 11.5 }],
    ['1.34', 'EXTENDED', '2026-12-02T00:00:00Z', 1, { usdPerDay: 12, usdWithin: 12 }],
    ['1.35', 'EXTENDED', AT, 60, { usdPerDay: 0, usdWithin: 0 }],
    // AWS upgrades it instead.
    ['1.33', 'STANDARD', AT, 60, { usdPerDay: 0, usdWithin: 0 }],
    // The default of the API.
    ['1.32', undefined, AT, 60, { usdPerDay: 12, usdWithin: 720 }],
    // To the oldest minor in extended support, which costs as much.
    ['1.31', 'EXTENDED', AT, 60, { usdPerDay: 12, usdWithin: 720 }],
    ['1.38', 'EXTENDED', AT, 60, undefined],
  ])('of %s with policy %s at %s for %i days', (minor, policy, at, days, expected) => {
    expect(costOfWaiting(supportOf(minor, []), at, days, policy)).toEqual(expected);
  });

  test('past standard support, with nobody to say how long the extended one lasts, it is not known and in no sum', () => {
    expect(costOfWaiting({ minor: '1.99', endOfStandardSupport: '2026-07-01' }, AT, 60, 'EXTENDED')).toBeUndefined();
  });

  test('in whole dollars, with thousands', () => {
    expect([0, 652.25, 4032].map(usd)).toEqual(['$0', '$652', '$4,032']);
  });
});

describe('the fleet', () => {
  const view = fleetView(FLEET, 60);

  test('what is due first, then what is not known, the oldest version first', () => {
    expect(view.clusters.map(({ name, region, outcome }) => `${name} ${region} ${outcome}`)).toEqual([
      'legacy us-east-1 due',
      'pays eu-west-1 due',
      'automatic eu-west-1 due',
      'no-policy eu-west-1 due',
      'soon eu-west-1 due',
      'prod ap-northeast-1 unread',
      'newest eu-west-1 unread',
      'fresh eu-west-1 nothing-due',
      'prod us-east-1 nothing-due',
    ]);
    expect(view.counts).toEqual({ clusters: 9, due: 5, unread: 2, running: 2, waiting: 1, keptFreezes: 1 });
  });

  test('F38: two clusters of the same name in two regions are two rows with their own ids, and the run is on one of them', () => {
    const two = view.clusters.filter(({ name }) => name === 'prod');
    expect(two.map(({ id, run }) => [id, run?.target])).toEqual([
      [`${BANK}/ap-northeast-1/prod`, undefined],
      [`${BANK}/us-east-1/prod`, '1.36'],
    ]);
    const accounts = fleetView(
      {
        ...FLEET,
        members: [
          member('prod', '1.35'),
          member('prod', '1.32', 'EXTENDED', { cluster: { name: 'prod', account: BANK, region: 'eu-west-1' } }),
        ],
      },
      60,
    );
    expect(accounts.clusters.map(({ id, version }) => [id, version])).toEqual([
      [`${BANK}/eu-west-1/prod`, '1.32'],
      [`${SHOP}/eu-west-1/prod`, '1.35'],
    ]);
  });

  test('costs by account, the dearest first; what is not known is counted, and in no sum', () => {
    expect(view.accounts).toEqual([
      { account: SHOP, clusterCount: 6, extendedCount: 1, unknownCount: 1, usdPerDay: 12, usdWithin: 2024.5 },
      { account: BANK, clusterCount: 3, extendedCount: 1, unknownCount: 1, usdPerDay: 12, usdWithin: 720 },
    ]);
    expect(view.total).toEqual({ usdPerDay: 24, usdWithin: 2744.5 });
  });

  test('what could not be read says why, and is never nothing due', () => {
    const unread = view.clusters.filter(({ outcome }) => outcome === 'unread');
    expect(unread.map(({ version, why, cost }) => [version, why, cost])).toEqual([
      [undefined, 'reading prod: AWS refuses the role arn:aws:iam::444455556666:role/belay', undefined],
      ['1.38', 'how long EKS supports 1.38 is not known', undefined],
    ]);
  });

  test('what is due goes before what was not read; with neither, nothing is due', () => {
    const of = (...members: (typeof FLEET)['members']): string => fleetView({ ...FLEET, members }, 60).outcome;
    expect(of(member('old', '1.31'), member('blind'))).toBe('due');
    expect(of(member('fresh', '1.35'), member('blind'))).toBe('unread');
    expect(of(member('fresh', '1.35'))).toBe('nothing-due');
  });

  test('EKS’s own dates go before the table', () => {
    const offered = [
      { version: '1.38', endOfStandardSupport: '2028-03-27T00:00:00.000Z', endOfExtendedSupport: '2029-03-27T00:00:00.000Z' },
    ];
    const { minors } = fleetView({ ...FLEET, members: [member('newest', '1.38', 'EXTENDED')], offered }, 60);
    expect(minors).toEqual([
      { minor: '1.38', clusterCount: 1, support: 'standard', endOfStandardSupport: '2028-03-27', endOfExtendedSupport: '2029-03-27' },
    ]);
  });
});
