/** What people read where the plan that they approved is not what belay.yaml gives now. */
import { describe, expect, test } from 'vitest';
import { driftLines, driftOf, isDrifted } from '../../../../domain/plan/campaign/drift.ts';
import { planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import type { CampaignPlan, FleetMember } from '../../../../domain/plan/campaign/types.ts';
import type { CampaignPolicy, RingPolicy } from '../../../../domain/policy/campaigns.ts';
import { at, campaignPolicy, cluster, devFleet, fleetMember, HOUR, NOON, ringPolicy } from '../../../support/campaigns.ts';

const fleet = [
  ...devFleet('dev-a', 'dev-b'),
  fleetMember('prod-a', { environment: 'prod' }),
  fleetMember('prod-b', { environment: 'prod' }),
];
const rings = (dev: Partial<RingPolicy> = {}, prod: Partial<RingPolicy> = {}) => [ringPolicy('dev', dev), ringPolicy('prod', prod)];
const plan = (policy: Partial<CampaignPolicy> = {}, of: FleetMember[] = fleet, now: string = NOON): CampaignPlan =>
  planCampaign(campaignPolicy({ rings: rings(), ...policy }), of, now);
const lines = (now: CampaignPlan): string[] => driftLines(driftOf(plan(), now));

describe('F24: a cluster that was made during the campaign', () => {
  test('is named as new', () => {
    const now = plan({}, [...fleet, fleetMember('dev-new', { cluster: cluster('dev-new', { account: '444455556666' }) })]);
    expect(driftOf(plan(), now)).toEqual({ added: ['444455556666/eu-west-1/dev-new'], removed: [], changed: [] });
    expect(lines(now)).toEqual(['New, and not in the approved plan: 444455556666/eu-west-1/dev-new']);
    expect(isDrifted(driftOf(plan(), now))).toBe(true);
  });

  test('one that was deleted is named as gone, and one of the same name elsewhere is both', () => {
    expect(lines(plan({}, fleet.slice(0, 3)))).toEqual(['Gone since the approval: 111122223333/eu-west-1/prod-b']);
    const moved = fleet.map((each) =>
      each.cluster.name === 'prod-b' ? { ...each, cluster: cluster('prod-b', { region: 'us-east-1' }) } : each,
    );
    expect(lines(plan({}, moved))).toEqual([
      'New, and not in the approved plan: 111122223333/us-east-1/prod-b',
      'Gone since the approval: 111122223333/eu-west-1/prod-b',
    ]);
  });
});

describe('F23: belay.yaml was edited after the approval', () => {
  test.each<[string, CampaignPlan, string[]]>([
    ['target', plan({ target: '1.35' }, fleet), ['Changed in belay.yaml: target 1.34 → 1.35']],
    [
      'a cluster moved to another ring',
      plan(
        {},
        fleet.map((each) => (each.cluster.name === 'prod-b' ? { ...each, environment: 'dev' } : each)),
      ),
      ['Changed in belay.yaml: 111122223333/eu-west-1/prod-b: ring prod → dev'],
    ],
    [
      'a cluster that is left out now',
      plan({ exclude: [{ clusters: ['prod-b'], reason: 'audit' }] }),
      ['Changed in belay.yaml: 111122223333/eu-west-1/prod-b: ring prod → excluded'],
    ],
    [
      'parallel',
      plan({ rings: rings({}, { parallel: { kind: 'count', value: 1 } }) }),
      ['Changed in belay.yaml: ring prod: parallel 2 → 1'],
    ],
    [
      'failures, and with it what has to arrive',
      plan({ rings: rings({ failures: { kind: 'percent', value: 50 } }) }),
      ['Changed in belay.yaml: ring dev: failures 0 → 1', 'Changed in belay.yaml: ring dev: succeed 2 of 2 → 1 of 2'],
    ],
    ['soak', plan({ rings: rings({ soakMs: 90 * 60_000 }) }), ['Changed in belay.yaml: ring dev: soak 24 h → 1 h 30 min']],
    ['soakOnRed', plan({ rings: rings({ soakOnRed: 'hold' }) }), ['Changed in belay.yaml: ring dev: soakOnRed restart → hold']],
    [
      'promotion',
      plan({ rings: rings({}, { promotion: 'after-soak' }) }),
      ['Changed in belay.yaml: ring prod: promotion ask → after-soak'],
    ],
    ['coversStart', plan({ rings: rings({}, { coversStart: true }) }), ['Changed in belay.yaml: ring prod: coversStart false → true']],
    ['canary', plan({ rings: rings({ canary: true }) }), ['Changed in belay.yaml: ring dev: canary false → true']],
    ['a limit', plan({ perRegion: 2 }), ['Changed in belay.yaml: perRegion none → 2']],
    ['stuckAfter', plan({ stuckAfterMs: 4 * HOUR }), ['Changed in belay.yaml: stuckAfter 12 h → 4 h']],
    ['startsPerMinute', plan({ startsPerMinute: 9 }), ['Changed in belay.yaml: startsPerMinute none → 9']],
    [
      'the order in a ring',
      plan({ rings: rings({}, { order: ['prod-b'] }) }),
      [
        'Changed in belay.yaml: ring prod: order 111122223333/eu-west-1/prod-a, 111122223333/eu-west-1/prod-b → 111122223333/eu-west-1/prod-b, 111122223333/eu-west-1/prod-a',
      ],
    ],
    ['finishBy', plan({ finishBy: '2026-12-31' }), ['Changed in belay.yaml: finishBy none → 2026-12-31']],
    ['the order of rings', plan({ rings: rings().toReversed() }), ['Changed in belay.yaml: rings dev, prod → prod, dev']],
    [
      'a ring of another name',
      plan({ rings: [ringPolicy('dev'), ringPolicy('live', { select: { environments: ['prod'] } })] }),
      [
        'Changed in belay.yaml: 111122223333/eu-west-1/prod-a: ring prod → live',
        'Changed in belay.yaml: 111122223333/eu-west-1/prod-b: ring prod → live',
        'Changed in belay.yaml: rings dev, prod → dev, live',
      ],
    ],
  ])('%s', (_title, now, expected) => {
    expect(lines(now)).toEqual(expected);
    expect(now.hash).not.toBe(plan().hash);
  });

  test('a looser budget does not hide behind a cluster that was added', () => {
    const grown = [...fleet, fleetMember('dev-c'), fleetMember('prod-c', { environment: 'prod' })];
    const now = plan(
      {
        rings: rings(
          { parallel: { kind: 'count', value: 2 } },
          { parallel: { kind: 'count', value: 1 }, failures: { kind: 'count', value: 1 } },
        ),
      },
      grown,
    );
    const few = plan({ rings: rings({ parallel: { kind: 'count', value: 2 } }, { parallel: { kind: 'count', value: 1 } }) });
    expect(driftLines(driftOf(few, now))).toEqual([
      'New, and not in the approved plan: 111122223333/eu-west-1/dev-c, 111122223333/eu-west-1/prod-c',
      'Changed in belay.yaml: ring prod: failures 0 → 1',
      'Changed in belay.yaml: ring prod: succeed 2 of 2 → 2 of 3',
    ]);
  });

  test('of a ring that has ended nothing is asked about at each gate that follows, but for clusters that are new there', () => {
    const edited = { soakMs: HOUR, parallel: { kind: 'count' as const, value: 1 } };
    const after = (clusters: FleetMember[]) => driftLines(driftOf(plan(), plan({ rings: rings(edited) }, clusters), 1));
    expect(after(fleet.slice(1))).toEqual([]);
    expect(after([...fleet, fleetMember('dev-new')])).toEqual(['New, and not in the approved plan: 111122223333/eu-west-1/dev-new']);
    const without = plan({ rings: rings().slice(1), rest: 'exclude' });
    expect(driftLines(driftOf(plan(), without, 1))).toEqual([]);
    expect(driftLines(driftOf(plan(), without))).toContain('Changed in belay.yaml: rings dev, prod → prod');
  });

  test('an exclusion that has ended meanwhile is one, too', () => {
    const excluding = (now: string) => plan({ exclude: [{ clusters: ['prod-b'], reason: 'audit', until: '2026-11-27' }] }, fleet, now);
    expect(driftLines(driftOf(excluding(NOON), excluding(at(24))))).toEqual([]);
    expect(driftLines(driftOf(excluding(NOON), excluding(at(48))))).toEqual([
      'Changed in belay.yaml: 111122223333/eu-west-1/prod-b: ring excluded → prod',
    ]);
  });

  test('what the campaign itself has done is none: versions move, clusters arrive, readiness and time change', () => {
    const later = fleet.map((each, index) => ({
      ...each,
      version: index === 0 ? '1.34' : each.version,
      offered: index !== 2,
      readiness: { verdict: 'unknown' as const },
      p90Ms: HOUR,
    }));
    const drift = driftOf(plan(), plan({}, later, at(100)));
    expect(driftLines(drift)).toEqual([]);
    expect(isDrifted(drift)).toBe(false);
  });
});
