/** Which cluster is in which ring, what is refused and why, and what the hash is of. */
import { describe, expect, test } from 'vitest';
import { countOf } from '../../../../domain/policy/campaigns.ts';
import { numbersOf, planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import { type CampaignPlan, type FleetMember, memberKey } from '../../../../domain/plan/campaign/types.ts';
import type { CampaignPolicy } from '../../../../domain/policy/campaigns.ts';
import { at, campaignPolicy, cluster, devFleet, fleetMember, HOUR, NOON, ringPolicy } from '../../../support/campaigns.ts';

const plan = (policy: Partial<CampaignPolicy>, fleet: FleetMember[] = devFleet('dev-a'), now: string = NOON): CampaignPlan =>
  planCampaign(campaignPolicy(policy), fleet, now);
const namesOf = ({ rings }: CampaignPlan): string[][] => rings.map(({ members }) => members.map((each) => each.cluster.name));
const verdictOf = (over: Partial<FleetMember>, policy: Partial<CampaignPolicy> = {}) =>
  plan(policy, [fleetMember('dev-a', over)]).rings[0]?.members[0]?.verdict;

const TWO_RINGS = [ringPolicy('dev'), ringPolicy('prod')];
const KEY = '111122223333/eu-west-1/dev-a';

describe('every cluster is in one ring, or left out with a reason, or nothing starts', () => {
  test('F1: a cluster in two rings refuses the plan and names both', () => {
    const { problems, rings } = plan(
      { rings: [ringPolicy('dev'), ringPolicy('first', { select: { clusters: ['dev-a'] } })] },
      devFleet('dev-a', 'dev-b'),
    );
    expect(problems).toEqual([
      `${KEY} is in rings dev and first. A cluster can be in only one ring.`,
      'Ring first has no cluster. Correct what it selects, or write optional: true.',
    ]);
    expect(rings.map(({ members }) => members.map((each) => each.cluster.name))).toEqual([['dev-b'], []]);
  });

  test('F2: a cluster in no ring refuses the plan', () => {
    const lost = fleetMember('stg-a', { environment: 'staging' });
    expect(plan({}, [...devFleet('dev-a'), lost]).problems).toEqual([
      '111122223333/eu-west-1/stg-a is in no ring. Add it to one, exclude it with a reason, or write rest: exclude.',
    ]);
  });

  test('F2: with rest: exclude it is listed as left out, and nothing is refused', () => {
    const lost = fleetMember('stg-a', { environment: 'staging' });
    const { problems, excluded, rings } = plan({ rest: 'exclude' }, [...devFleet('dev-a'), lost]);
    expect(problems).toEqual([]);
    expect(excluded).toEqual([{ cluster: cluster('stg-a'), reason: 'it is in no ring' }]);
    expect(rings[0]?.members).toHaveLength(1);
  });

  test('F2: what the campaign does not select is neither refused nor listed', () => {
    const other = fleetMember('stg-a', { environment: 'staging' });
    const { problems, excluded, warnings } = plan({ select: { environments: ['dev'] } }, [...devFleet('dev-a'), other]);
    expect({ problems, excluded, warnings }).toEqual({ problems: [], excluded: [], warnings: [] });
  });

  test('F3: an empty ring refuses the plan, unless it is optional', () => {
    expect(plan({ rings: TWO_RINGS }).problems).toEqual(['Ring prod has no cluster. Correct what it selects, or write optional: true.']);
    const optional = plan({ rings: [ringPolicy('dev'), ringPolicy('prod', { optional: true })] });
    expect(optional.problems).toEqual([]);
    expect(optional.rings[1]).toMatchObject({ name: 'prod', members: [], parallel: 0, failures: 0, succeed: 0 });
  });

  test('F3: a ring that is empty because all of it is left out is refused, too', () => {
    expect(plan({ exclude: [{ clusters: ['dev-a'], reason: 'audit' }] }).problems).toEqual([
      'Ring dev has no cluster. Correct what it selects, or write optional: true.',
    ]);
  });

  test.each<[string, CampaignPolicy['select'], string[]]>([
    ['nothing given', {}, ['a', 'b', 'c', 'd']],
    ['one environment', { environments: ['prod'] }, ['c', 'd']],
    ['one of two regions', { regions: ['us-east-1', 'eu-north-1'] }, ['b']],
    ['an account', { accounts: ['444455556666'] }, ['d']],
    ['a tag', { tags: { team: 'shop' } }, ['a', 'c']],
    ['all of two tags', { tags: { team: 'shop', tier: '1' } }, ['c']],
    ['everything at once', { environments: ['prod'], tags: { team: 'shop' }, clusters: ['a', 'c'] }, ['c']],
    ['a tag of another value', { tags: { team: 'Shop' } }, []],
    ['a tag that every object has by birth', { tags: { constructor: 'x' } }, []],
  ])('select by %s', (_title, select, expected) => {
    const fleet = [
      fleetMember('a', { tags: { team: 'shop' } }),
      fleetMember('b', { tags: {}, cluster: cluster('b', { region: 'us-east-1' }) }),
      fleetMember('c', { tags: { team: 'shop', tier: '1' }, environment: 'prod' }),
      fleetMember('d', { tags: { team: 'pay' }, environment: 'prod', cluster: cluster('d', { account: '444455556666' }) }),
    ];
    expect(namesOf(plan({ select, rings: [ringPolicy('all', { select: {}, optional: true })] }, fleet))).toEqual([expected]);
  });
});

describe('F37: exclusions', () => {
  const excluding = (until?: string, now?: string): CampaignPlan =>
    plan(
      { exclude: [{ clusters: ['dev-b'], reason: 'moves away', ...(until === undefined ? {} : { until }) }] },
      devFleet('dev-a', 'dev-b'),
      now,
    );

  test('with reason and end are listed', () => {
    expect(excluding('2027-01-31').excluded).toEqual([{ cluster: cluster('dev-b'), reason: 'moves away', until: '2027-01-31' }]);
    expect(excluding().excluded).toEqual([{ cluster: cluster('dev-b'), reason: 'moves away' }]);
    expect(namesOf(excluding())).toEqual([['dev-a']]);
  });

  test('hold to the end of their last day, in UTC', () => {
    expect(namesOf(excluding('2026-11-26', '2026-11-26T23:59:59.999Z'))).toEqual([['dev-a']]);
    const over = excluding('2026-11-26', '2026-11-27T00:00:00.000Z');
    expect(namesOf(over)).toEqual([['dev-a', 'dev-b']]);
    expect(over.warnings).toEqual(['The exclusion of dev-b ended on 2026-11-26: they are no longer excluded.']);
    expect(over.excluded).toEqual([]);
  });

  test('that have ended do not undo another one that has not', () => {
    const { excluded } = plan(
      {
        exclude: [
          { clusters: ['dev-b'], reason: 'audit', until: '2026-11-01' },
          { clusters: ['dev-b'], reason: 'moves away' },
        ],
      },
      devFleet('dev-a', 'dev-b'),
    );
    expect(excluded).toEqual([{ cluster: cluster('dev-b'), reason: 'moves away' }]);
  });
});

describe('F9: what could not be read', () => {
  test('tags on which a ring hinges refuse the plan, and say why they are not known', () => {
    const fleet = [
      fleetMember('dev-a', { tags: { team: 'shop' } }),
      fleetMember('dev-b', { why: 'AccessDenied for eks:ListTagsForResource' }),
    ];
    expect(plan({ rings: [ringPolicy('dev', { select: { tags: { team: 'shop' } } })] }, fleet).problems).toEqual([
      '111122223333/eu-west-1/dev-b: its tags could not be read (AccessDenied for eks:ListTagsForResource), and the campaign selects by tags.',
    ]);
    expect(plan({ select: { tags: { team: 'shop' } } }, fleet).problems).toHaveLength(1);
  });

  test('tags of clusters that are left out, or not meant in any case, stand in no way', () => {
    const fleet = [
      fleetMember('dev-a', { tags: { team: 'shop' } }),
      fleetMember('dev-b', { why: 'AccessDenied' }),
      fleetMember('prod-a', { environment: 'prod', why: 'AccessDenied' }),
    ];
    const { problems, excluded } = plan(
      {
        select: { environments: ['dev'], tags: { team: 'shop' } },
        exclude: [{ clusters: ['dev-b'], reason: 'its account is being closed' }],
      },
      fleet,
    );
    expect(problems).toEqual([]);
    expect(excluded.map(({ cluster: { name } }) => name)).toEqual(['dev-b']);
  });

  test.each<[string, Partial<FleetMember>, string]>([
    ['a version', { version: undefined, why: 'ResourceNotFoundException' }, 'its version is not known: ResourceNotFoundException'],
    ['a version without a reason', { version: undefined }, 'its version is not known: EKS names none'],
    ['a version that is none', { version: 'latest' }, 'its version is not known: EKS names none'],
    ['whether EKS offers the target', { offered: undefined }, 'it is not known whether EKS offers 1.34 in its region'],
  ])('%s holds the cluster; it is not refused and does not start', (_title, over, why) => {
    expect(verdictOf(over)).toEqual({ kind: 'held', why });
  });

  test('F35: a target that EKS does not offer in the region holds the cluster, and the others of the ring go', () => {
    const { rings } = plan({}, [fleetMember('dev-a', { offered: false }), fleetMember('dev-b')]);
    expect(rings[0]?.members.map(({ verdict }) => verdict)).toEqual([
      { kind: 'held', why: 'EKS does not offer 1.34 in its region yet' },
      { kind: 'upgrade', minors: 1 },
    ]);
  });
});

describe('F10: where a cluster is', () => {
  test.each<[string, Partial<FleetMember>, Partial<CampaignPolicy>, unknown]>([
    ['one below', { version: '1.33' }, {}, { kind: 'upgrade', minors: 1 }],
    ['at the target', { version: '1.34' }, {}, { kind: 'done' }],
    ['at the target, and EKS was not asked what it offers', { version: '1.34', offered: undefined }, {}, { kind: 'done' }],
    ['ahead', { version: '1.35' }, {}, { kind: 'ahead', version: '1.35' }],
    [
      'two behind',
      { version: '1.32' },
      {},
      { kind: 'refused', why: 'it is at 1.32, 2 minors below 1.34; write hops: allowed, or first upgrade it to the minor before 1.34' },
    ],
    ['two behind, hops allowed', { version: '1.32' }, { hops: 'allowed' }, { kind: 'upgrade', minors: 2 }],
    ['by value, not by letters', { version: '1.9' }, { target: '1.10' }, { kind: 'upgrade', minors: 1 }],
  ])('%s', (_title, over, policy, verdict) => {
    expect(verdictOf(over, policy)).toEqual(verdict);
  });
});

describe('shares as numbers', () => {
  const percent = (value: number) => ({ kind: 'percent' as const, value });

  test.each([
    ['F4: parallel 20% of 4', percent(20), 4, 1, 1],
    ['F4: parallel 20% of 10', percent(20), 10, 1, 2],
    ['F4: parallel 20% of 14 is not rounded up', percent(20), 14, 1, 2],
    ['F5: failures 10% of 9', percent(10), 9, 0, 0],
    ['F5: failures 10% of 10', percent(10), 10, 0, 1],
    ['more than there are', { kind: 'count' as const, value: 50 }, 3, 1, 3],
    ['of none', percent(100), 0, 1, 0],
    ['29% of 100, which floating point makes 28.999…', percent(29), 100, 0, 29],
  ] as const)('%s', (_title, share, of, least, expected) => {
    expect(countOf(share, of, least)).toBe(expected);
  });

  test.each([
    ['F7: all may fail, and one has to arrive all the same', { failures: percent(100) }, 5, { parallel: 5, failures: 5, succeed: 1 }],
    ['all but those that may fail have to arrive', { failures: percent(10) }, 20, { parallel: 10, failures: 2, succeed: 18 }],
    ['by default all', {}, 20, { parallel: 10, failures: 0, succeed: 20 }],
    ['as it says', { succeed: percent(95) }, 20, { parallel: 10, failures: 0, succeed: 19 }],
    ['95% of 3, rounded down', { succeed: percent(95) }, 3, { parallel: 3, failures: 0, succeed: 2 }],
  ] as const)('%s', (_title, over, size, expected) => {
    expect(numbersOf(ringPolicy('dev', over), size)).toEqual(expected);
  });

  test('F5: the plan has the numbers, of all clusters of the ring', () => {
    const names = Array.from({ length: 9 }, (_, index) => `dev-${index}`);
    const fleet = [...devFleet(...names)].map((each, index) => (index < 4 ? { ...each, version: '1.34' } : each));
    const ring = ringPolicy('dev', { parallel: percent(25), failures: percent(25) });
    expect(plan({ rings: [ring] }, fleet).rings[0]).toMatchObject({ parallel: 2, failures: 2, succeed: 7 });
  });
});

test('F38: two clusters of one name in two accounts and two regions are three clusters, told apart', () => {
  const fleet = [
    fleetMember('shop', { cluster: cluster('shop', { account: '444455556666' }) }),
    fleetMember('shop', { cluster: cluster('shop', { region: 'us-east-1' }) }),
    fleetMember('shop'),
  ];
  const { rings, problems } = plan({}, fleet);
  expect(problems).toEqual([]);
  expect(rings[0]?.members.map((each) => memberKey(each.cluster))).toEqual([
    '111122223333/eu-west-1/shop',
    '111122223333/us-east-1/shop',
    '444455556666/eu-west-1/shop',
  ]);
});

test('F14: a cluster of another campaign refuses the plan; one of this campaign, or one that is left out, does not', () => {
  const owned = (owner: string): FleetMember[] => [fleetMember('dev-a', { owner }), fleetMember('dev-b')];
  expect(plan({}, owned('to-1-33')).problems).toEqual([
    `${KEY} belongs to campaign to-1-33. A cluster is in one campaign at a time: end that one, or exclude it here.`,
  ]);
  expect(plan({}, owned('to-1-34')).problems).toEqual([]);
  expect(plan({ exclude: [{ clusters: ['dev-a'], reason: 'in to-1-33' }] }, owned('to-1-33')).problems).toEqual([]);
});

test('what no earlier ring has is named: it has been tried nowhere', () => {
  const { rings } = plan({ rings: TWO_RINGS }, [
    fleetMember('dev-a', { kinds: ['node group bottlerocket', 'add-on vpc-cni'] }),
    fleetMember('prod-a', { environment: 'prod', kinds: ['add-on vpc-cni', 'Karpenter'] }),
    fleetMember('prod-b', { environment: 'prod', kinds: ['Windows', 'Karpenter'] }),
    fleetMember('prod-c', { environment: 'prod' }),
  ]);
  expect(rings.map(({ untested }) => untested)).toEqual([[], ['Karpenter', 'Windows']]);
});

describe('the hash that people approve', () => {
  const policy = campaignPolicy({
    rings: [ringPolicy('dev', { failures: { kind: 'count', value: 1 } }), ringPolicy('prod')],
    exclude: [{ clusters: ['dev-x'], reason: 'audit', until: '2027-01-31' }],
    perAccount: 5,
    finishBy: '2026-12-31',
  });
  const fleet = [
    ...devFleet('dev-a', 'dev-b', 'dev-x'),
    fleetMember('prod-a', { environment: 'prod' }),
    fleetMember('prod-b', { environment: 'prod' }),
  ];
  const hash = (over: Partial<CampaignPolicy> = {}, of: FleetMember[] = fleet, now: string = NOON): string =>
    planCampaign({ ...policy, ...over }, of, now).hash;
  const changed = (name: string, over: Partial<FleetMember>): FleetMember[] =>
    fleet.map((each) => (each.cluster.name === name ? { ...each, ...over } : each));
  const ring = (over: Parameters<typeof ringPolicy>[1]) => ({ rings: [{ ...policy.rings[0]!, ...over }, policy.rings[1]!] });

  test('is short enough to be read out', () => {
    expect(hash()).toMatch(/^[0-9a-f]{12}$/);
  });

  test.each<[string, string]>([
    ['the order in which clusters were read', hash({}, fleet.toReversed())],
    ['when it was made', hash({}, fleet, at(100))],
    ['readiness', hash({}, changed('dev-a', { readiness: { verdict: 'not-ready', why: 'a webhook fails' } }))],
    ['how long upgrades take', hash({}, changed('dev-a', { p90Ms: 5 * HOUR }))],
    ['kinds of nodes', hash({}, changed('prod-a', { kinds: ['Windows'] }))],
    ['tags by which nothing is selected', hash({}, changed('dev-a', { tags: { team: 'shop' } }))],
    ['support type', hash({}, changed('dev-a', { supportType: 'STANDARD' }))],
    [
      'a cluster that is not selected',
      hash({ select: { environments: ['dev', 'prod'] } }, [...fleet, fleetMember('x', { environment: 'lab' })]),
    ],
    ['who is told', hash({ channel: 'upgrades' })],
  ])('does not hang on %s', (_title, other) => {
    expect(other).toBe(hash());
  });

  test('differs for each thing that is approved', () => {
    const others: Record<string, string> = {
      target: hash({ target: '1.35' }),
      campaign: hash({ name: 'to-1-34-again' }),
      'a cluster more': hash({}, [...fleet, fleetMember('dev-c')]),
      'a cluster less': hash(
        {},
        fleet.filter((each) => each.cluster.name !== 'dev-b'),
      ),
      'a cluster of the same name elsewhere': hash({}, changed('dev-b', { cluster: cluster('dev-b', { region: 'us-east-1' }) })),
      'a cluster in another ring': hash({}, changed('dev-b', { environment: 'prod' })),
      'a cluster that is done': hash({}, changed('dev-a', { version: '1.34' })),
      'a cluster that is held': hash({}, changed('dev-a', { offered: false })),
      'rings the other way round': hash({ rings: policy.rings.toReversed() }),
      canary: hash(ring({ canary: true })),
      parallel: hash(ring({ parallel: { kind: 'count', value: 1 } })),
      failures: hash(ring({ failures: { kind: 'count', value: 2 } })),
      succeed: hash(ring({ failures: { kind: 'count', value: 1 }, succeed: { kind: 'count', value: 2 } })),
      soak: hash(ring({ soakMs: HOUR })),
      soakOnRed: hash(ring({ soakOnRed: 'hold' })),
      promotion: hash(ring({ promotion: 'after-soak' })),
      coversStart: hash(ring({ coversStart: true })),
      'the name of a ring': hash(ring({ name: 'first' })),
      perAccount: hash({ perAccount: 6 }),
      perRegion: hash({ perRegion: 1 }),
      'parallel over all': hash({ parallel: 1 }),
      stuckAfter: hash({ stuckAfterMs: HOUR }),
      finishBy: hash({ finishBy: '2027-01-31' }),
      'no finishBy': hash({ finishBy: undefined }),
      'an exclusion less': hash({ exclude: [] }),
      'the reason of an exclusion': hash({ exclude: [{ clusters: ['dev-x'], reason: 'moves away', until: '2027-01-31' }] }),
      'the end of an exclusion': hash({ exclude: [{ clusters: ['dev-x'], reason: 'audit' }] }),
      itself: hash(),
    };
    const sameAs = Object.entries(others).map(([what, is]) => [
      what,
      Object.entries(others)
        .filter(([, other]) => other === is)
        .map(([name]) => name),
    ]);
    expect(sameAs).toEqual(Object.keys(others).map((what) => [what, [what]]));
  });
});
