/** Dates per ring, and what waiting costs: with EKS's own dates, worked out by hand. */
import { describe, expect, test } from 'vitest';
import { bestChange, costOfWaiting, forecastRings } from '../../../../domain/plan/campaign/forecast.ts';
import { renderCampaignPlan } from '../../../../cli/render/campaign.ts';
import type { Fits } from '../../../../domain/plan/campaign/lay-out.ts';
import { planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import type { CampaignPlan, FleetMember } from '../../../../domain/plan/campaign/types.ts';
import { supportOf } from '../../../../domain/run/fleet.ts';
import { campaignPolicy, cluster, fleetMember, HOUR, NOON, ringPolicy } from '../../../support/campaigns.ts';

const five = (over: Partial<FleetMember> = {}): FleetMember[] =>
  ['a', 'b', 'c', 'd', 'e'].map((letter) => fleetMember(`dev-${letter}`, over));
const parallel = (value: number) => ({ parallel: { kind: 'count' as const, value } });
const plan = (fleet: FleetMember[], rings = [ringPolicy('dev', parallel(2))], now: string = NOON): CampaignPlan =>
  planCampaign(campaignPolicy({ rings, hops: 'allowed' }), fleet, now);
const forecast = (of: CampaignPlan, opens?: Parameters<typeof forecastRings>[2]) => forecastRings(of.rings, of.madeAt, opens);

describe('when a ring arrives', () => {
  test('F45: without records it takes an assumed 3 h each, and says so: five, two at a time, then a day of soak', () => {
    expect(forecast(plan(five()))).toEqual([
      {
        ring: 'dev',
        from: '2026-11-26T12:00:00.000Z',
        arrives: '2026-11-26T21:00:00.000Z',
        until: '2026-11-27T21:00:00.000Z',
        runMs: 3 * HOUR,
        assumed: true,
      },
    ]);
  });

  test('F45: with records it takes the longest p90, and assumes nothing', () => {
    const fleet = five({ p90Ms: HOUR }).map((each, index) => (index === 4 ? { ...each, p90Ms: 2 * HOUR } : each));
    expect(forecast(plan(fleet))).toMatchObject([{ arrives: '2026-11-26T18:00:00.000Z', runMs: 2 * HOUR, assumed: false }]);
  });

  test('F45: a cluster without records is taken for the slowest that has some, with its own minors', () => {
    const [first, ...others] = five({ p90Ms: HOUR });
    const fleet = [{ ...first!, p90Ms: undefined, version: '1.32' }, ...others];
    expect(forecast(plan(fleet))).toMatchObject([{ runMs: 2 * HOUR, assumed: false }]);
  });

  test('two minors take twice as long, assumed or recorded', () => {
    expect(forecast(plan(five({ version: '1.32' })))).toMatchObject([{ runMs: 6 * HOUR, assumed: true }]);
    expect(forecast(plan(five({ version: '1.32', p90Ms: HOUR })))).toMatchObject([{ runMs: 2 * HOUR }]);
  });

  test.each([
    [1, '2026-11-27T03:00:00.000Z'],
    [2, '2026-11-26T21:00:00.000Z'],
    [3, '2026-11-26T18:00:00.000Z'],
    [5, '2026-11-26T15:00:00.000Z'],
    [50, '2026-11-26T15:00:00.000Z'],
  ])('in waves of %i', (value, arrives) => {
    expect(forecast(plan(five(), [ringPolicy('dev', parallel(value))]))).toMatchObject([{ arrives }]);
  });

  test.each([
    [{ parallel: 1 }, 5],
    [{ perAccount: 2 }, 2],
    [{ perRegion: 1 }, 3],
    [{ perAccount: 10, perRegion: 10, parallel: 10 }, 1],
  ])('F39: %j makes waves of its own: %i', (limits, waves) => {
    const fleet = five().map((each, index) =>
      index < 2 ? each : { ...each, cluster: cluster(each.cluster.name, { account: '444455556666' }) },
    );
    const { rings } = plan(fleet, [ringPolicy('dev')]);
    const [ring] = forecastRings(rings, NOON, undefined, limits);
    expect(ring?.arrives).toBe(new Date(Date.parse(NOON) + waves * 3 * HOUR).toISOString());
  });

  test('a ring begins when the one before has soaked; clusters that do not move take no time, and soak', () => {
    const fleet = [
      fleetMember('dev-a', { version: '1.34' }),
      fleetMember('dev-b', { version: '1.35' }),
      fleetMember('prod-a', { environment: 'prod' }),
      fleetMember('prod-b', { environment: 'prod', offered: false }),
    ];
    expect(forecast(plan(fleet, [ringPolicy('dev'), ringPolicy('prod', { soakMs: HOUR })]))).toEqual([
      expect.objectContaining({ ring: 'dev', arrives: NOON, until: '2026-11-27T12:00:00.000Z', runMs: 0, assumed: false }),
      expect.objectContaining({
        ring: 'prod',
        from: '2026-11-27T12:00:00.000Z',
        arrives: '2026-11-27T15:00:00.000Z',
        until: '2026-11-27T16:00:00.000Z',
        assumed: true,
      }),
    ]);
  });

  test('F3: a ring without clusters takes no time', () => {
    const rings = [ringPolicy('dev', { select: { clusters: [] }, optional: true }), ringPolicy('all', { select: {} })];
    expect(forecast(plan([fleetMember('x')], rings))[0]).toMatchObject({ from: NOON, until: NOON, runMs: 0, assumed: false });
  });

  /** From 20:00 to midnight UTC. */
  const nights: Fits = (_cluster, atMs) => {
    const at = new Date(atMs).toISOString();
    return at.slice(11, 13) < '20' ? Date.parse(`${at.slice(0, 10)}T20:00:00.000Z`) : atMs;
  };

  test('each start waits for the hours in which its cluster may work', () => {
    expect(forecast(plan(five().slice(0, 4)), nights)).toMatchObject([
      { from: '2026-11-26T20:00:00.000Z', arrives: '2026-11-27T02:00:00.000Z' },
    ]);
    expect(forecast(plan(five()), nights)).toMatchObject([{ arrives: '2026-11-27T23:00:00.000Z' }]);
  });

  test('F15: a cluster whose window is closed holds no slot: the others go first, and its ring arrives with it', () => {
    const fits: Fits = ({ name }, atMs, needMs) => (name === 'dev-a' ? nights(cluster(name), atMs, needMs) : atMs);
    expect(forecast(plan(five()), fits)).toMatchObject([{ from: NOON, arrives: '2026-11-26T23:00:00.000Z' }]);
  });

  test('one that fits no opening is named, in no date, and holds nothing up', () => {
    const fits: Fits = ({ name }, atMs) => (name === 'dev-c' ? undefined : atMs);
    expect(forecast(plan(five()), fits)).toMatchObject([
      { from: NOON, arrives: '2026-11-26T18:00:00.000Z', never: ['111122223333/eu-west-1/dev-c'] },
    ]);
    expect(forecast(plan(five()))[0]).not.toHaveProperty('never');
  });

  test('a run is asked for with its recorded length, or none, as when the campaign starts it', () => {
    const asked = (fleet: FleetMember[]): number[] => {
      const all: number[] = [];
      forecast(plan(fleet), (_cluster, atMs, needMs) => (all.push(needMs), atMs));
      return all;
    };
    expect(asked([fleetMember('dev-a', { version: '1.32', p90Ms: HOUR }), fleetMember('dev-b')])).toEqual([2 * HOUR, 0]);
  });
});

describe('what waiting costs', () => {
  const costs = (of: CampaignPlan, type: 'STANDARD' | 'EXTENDED' | undefined = 'EXTENDED') =>
    costOfWaiting(
      of,
      forecast(of),
      (minor) => supportOf(minor, []),
      () => type,
    );
  /** 1.34 leaves standard support on 2026-12-02: its first day of extended support is the third. */
  const to135 = (now: string, fleet: FleetMember[] = [fleetMember('dev-a', { version: '1.34' })]): CampaignPlan =>
    planCampaign(campaignPolicy({ target: '1.35', rings: [ringPolicy('dev', parallel(1))] }), fleet, now);

  test('nothing, as long as the cluster arrives in standard support', () => {
    expect(costs(to135('2026-12-01T12:00:00.000Z'))).toEqual([
      { account: '111122223333', clusters: 1, charged: 0, hours: 0, usd: 0, forced: [] },
    ]);
  });

  test('from the first hour of extended support to its arrival: $0.50 for each', () => {
    expect(costs(to135('2026-12-01T22:00:00.000Z'))).toEqual([
      { account: '111122223333', clusters: 1, charged: 1, hours: 1, usd: 1, forced: [] },
    ]);
    const fleet = ['a', 'b', 'c', 'd'].map((letter) => fleetMember(`dev-${letter}`, { version: '1.34' }));
    expect(costs(to135('2026-12-10T00:00:00.000Z', fleet))).toMatchObject([{ clusters: 4, charged: 4, hours: 4 * 12, usd: 24 }]);
  });

  test('what was already paid is not counted: only from now on', () => {
    expect(costs(plan([fleetMember('dev-a', { version: '1.33' })], undefined, '2026-11-26T12:00:00.000Z'))).toMatchObject([
      { hours: 3, usd: 2 },
    ]);
  });

  test('by account, the clusters that move only', () => {
    const fleet = [
      fleetMember('dev-a', { version: '1.33', cluster: cluster('dev-a', { account: '444455556666' }) }),
      fleetMember('dev-b', { version: '1.33' }),
      fleetMember('dev-c', { version: '1.34' }),
      fleetMember('dev-d', { version: '1.33', offered: false }),
    ];
    expect(costs(plan(fleet)).map(({ account, clusters, hours }) => [account, clusters, hours])).toEqual([
      ['111122223333', 1, 3],
      ['444455556666', 1, 3],
    ]);
  });

  test('clusters in standard support are not among those that cost, nor is one of type STANDARD, as the plan has read it', () => {
    const fleet = [
      fleetMember('dev-a', { version: '1.33', supportType: 'EXTENDED' }),
      fleetMember('dev-b', { version: '1.34' }),
      fleetMember('dev-c', { version: '1.33', supportType: 'STANDARD' }),
    ];
    const of = planCampaign(campaignPolicy({ target: '1.35', hops: 'allowed' }), fleet, NOON);
    expect(renderCampaignPlan(of)).toContain(
      'Account 111122223333: extended support of 1 cluster costs $3 until it arrives; AWS upgrades dev-c from 2026-07-29 on, before their ring arrives.',
    );
  });

  test('F48: a cluster of type STANDARD costs nothing, and is upgraded by AWS: the day is named', () => {
    expect(costs(plan([fleetMember('dev-a', { version: '1.33' })]), 'STANDARD')).toEqual([
      {
        account: '111122223333',
        clusters: 1,
        charged: 0,
        hours: 0,
        usd: 0,
        forced: [{ cluster: '111122223333/eu-west-1/dev-a', on: '2026-07-29' }],
      },
    ]);
  });

  test('F48: at the end of extended support AWS upgrades the others, too; on the last day it does not yet', () => {
    const at131 = (now: string) => planCampaign(campaignPolicy({ target: '1.32' }), [fleetMember('dev-a', { version: '1.31' })], now);
    expect(costs(at131('2026-11-26T12:00:00.000Z'))).toMatchObject([{ forced: [] }]);
    const late = [{ forced: [{ cluster: '111122223333/eu-west-1/dev-a', on: '2026-11-26' }] }];
    expect(costs(at131('2026-11-26T22:00:00.000Z'))).toMatchObject(late);
    expect(costs(at131('2026-11-26T22:00:00.000Z'), undefined)).toMatchObject(late);
  });

  test('a version of which no dates are known costs nothing that could be said, and is no error', () => {
    const of = planCampaign(campaignPolicy({ target: '1.36' }), [fleetMember('dev-a', { version: '1.35' })], NOON);
    expect(
      costOfWaiting(
        of,
        forecast(of),
        () => ({}),
        () => undefined,
      ),
    ).toMatchObject([{ hours: 0, usd: 0, forced: [] }]);
  });
});

describe('the one change that would bring the end nearest', () => {
  const many = (n: number): FleetMember[] => Array.from({ length: n }, (_, index) => fleetMember(`dev-${index}`));

  test('more at a time, where runs take longest', () => {
    const of = plan(many(20), [ringPolicy('dev', { ...parallel(1), soakMs: HOUR })]);
    expect(bestChange(of.rings, NOON)).toEqual({ what: 'ring dev: parallel 1 → 2', savesMs: 30 * HOUR });
  });

  test('a shorter soak, where that takes longest', () => {
    const of = plan(many(2), [ringPolicy('dev', { soakMs: 7 * 24 * HOUR })]);
    expect(bestChange(of.rings, NOON)).toEqual({ what: 'ring dev: half the soak', savesMs: 3.5 * 24 * HOUR });
  });

  test('F39: not more at a time, where a limit over all rings allows no more', () => {
    const of = plan(many(20), [ringPolicy('dev', { ...parallel(1), soakMs: HOUR })]);
    expect(bestChange(of.rings, NOON, { perRegion: 1 })).toBeUndefined();
  });

  test('none, where none would bring it a day nearer', () => {
    expect(bestChange(plan(many(2), [ringPolicy('dev', { soakMs: HOUR })]).rings, NOON)).toBeUndefined();
    expect(bestChange([], NOON)).toBeUndefined();
  });
});
