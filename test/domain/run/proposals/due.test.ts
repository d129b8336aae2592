/** Which campaigns are due: offers, support dates, money, and what could not be read. */
import { describe, expect, test } from 'vitest';
import { dueIn } from '../../../../domain/run/proposals/due.ts';
import type { Looked } from '../../../../domain/run/proposals/proposal.ts';
import { environmentOrder } from '../../../../domain/run/proposals/order.ts';
import { BANK, EVERYWHERE, inBank, look, member, offer, SHOP, versions } from './fixtures.ts';

const dueTargets = (looked: Looked): string[] =>
  looked.kind === 'unread' ? ['unread'] : looked.due.map(({ target, from, clusterCount }) => `${clusterCount} from ${from} to ${target}`);
const read = (looked: Looked): Extract<Looked, { kind: 'read' }> => {
  if (looked.kind === 'unread') throw new Error(looked.why.join());
  return looked;
};

describe('F36: what EKS offers is proposed for the clusters one minor below', () => {
  test('with environments in their order, dates and money by account', () => {
    const looked = read(
      dueIn(
        look([
          member('prod-1', '1.34'),
          member('dev-1', '1.34'),
          member('dev-2', '1.34', { supportType: 'STANDARD' }),
          inBank('prod-2', '1.34'),
        ]),
      ),
    );
    expect(looked.due).toEqual([
      {
        target: '1.35',
        from: '1.34',
        readAt: '2026-11-28T07:00:00.000Z',
        withinDays: 90,
        clusterCount: 4,
        environments: [
          { name: 'dev', clusterCount: 2 },
          { name: 'prod', clusterCount: 2 },
        ],
        endOfStandardSupport: '2026-12-02',
        endOfExtendedSupport: '2027-12-02',
        forcedCount: 1,
        // 86 days and 7 hours of extended support within the 90 days, at $0.50 an hour; the STANDARD cluster is upgraded instead.
        accounts: [
          { account: SHOP, clusterCount: 3, unknownCount: 0, usdPerDay: 0, usdWithin: 2071 },
          { account: BANK, clusterCount: 1, unknownCount: 0, usdPerDay: 0, usdWithin: 1035.5 },
        ],
        total: { usdPerDay: 0, usdWithin: 3106.5 },
        lacking: [],
        offersUnread: [],
        unread: { count: 0, why: [] },
      },
    ]);
  });

  test('one minor at a time, the oldest first; what is at the newest minor is not due', () => {
    expect(dueTargets(dueIn(look([member('a', '1.34'), member('b', '1.33'), member('c', '1.35')])))).toEqual([
      '1 from 1.33 to 1.34',
      '1 from 1.34 to 1.35',
    ]);
    expect(dueIn(look([member('c', '1.35')]))).toMatchObject({ kind: 'read', due: [], waiting: [] });
  });

  test('clusters that an open campaign has are under way; where that is not known, it is said', () => {
    const clusters = [member('a', '1.34'), member('b', '1.33')];
    expect(dueIn(look(clusters, { owners: { [`${SHOP}/eu-west-1/a`]: 'to-1-35' } }))).toMatchObject({
      due: [{ target: '1.34' }],
      underWayCount: 1,
    });
    expect(dueIn(look(clusters, { ownersUnread: 'Temporal does not answer' }))).toMatchObject({
      due: [{ target: '1.34' }, { target: '1.35' }],
      campaignsUnread: 'Temporal does not answer',
    });
  });
});

describe('a version that EKS does not offer in every region', () => {
  const offers = [offer(SHOP, 'eu-west-1', versions('1.34', '1.35', '1.36')), offer(BANK, 'us-east-1', versions('1.34', '1.35'))];

  test('waits for the others', () => {
    const looked = read(dueIn(look([member('a', '1.35'), inBank('b', '1.35')], { offers })));
    expect(looked.due).toEqual([]);
    expect(looked.waiting).toEqual([
      { target: '1.36', clusterCount: 1, lacking: [{ account: BANK, region: 'us-east-1', clusterCount: 1 }] },
    ]);
  });

  test('does not wait where a cluster leaves standard support soon: those that would wait are named', () => {
    const near = look([member('a', '1.35'), inBank('b', '1.35')], { offers, readAt: '2027-02-01T08:00:00.000Z' });
    expect(read(dueIn(near))).toMatchObject({
      due: [{ target: '1.36', clusterCount: 1, lacking: [{ account: BANK, region: 'us-east-1', clusterCount: 1 }] }],
      waiting: [],
    });
  });
});

describe('F36: what was not read is never "nothing to do"', () => {
  test('clusters without a version are said in each proposal', () => {
    const looked = read(dueIn(look([member('a', '1.34'), member('b', undefined), inBank('c', undefined, { why: 'no answer' })])));
    const unread = { count: 2, why: ['AWS refuses the role', 'no answer'] };
    expect(looked).toMatchObject({ due: [{ target: '1.35', unread }], unread });
  });

  test('nor does a region whose offers are not known hold up the others', () => {
    const offers = [EVERYWHERE[0] ?? offer(SHOP, '', []), offer(BANK, 'us-east-1', [], 'throttled')];
    expect(read(dueIn(look([member('a', '1.34'), inBank('b', '1.34')], { offers })))).toMatchObject({
      due: [{ target: '1.35', clusterCount: 1, offersUnread: [{ account: BANK, region: 'us-east-1', clusterCount: 1 }] }],
    });
  });

  test('a target that is due nowhere only because offers are not known counts as not read', () => {
    const offers = [EVERYWHERE[0] ?? offer(SHOP, '', []), offer(BANK, 'us-east-1', [], 'throttled')];
    expect(read(dueIn(look([member('a', '1.35'), inBank('b', '1.34')], { offers })))).toMatchObject({
      due: [],
      unread: { count: 1, why: ['what EKS offers in us-east-1 is not known'] },
    });
  });

  test.each([
    ['no cluster', look([member('a', undefined), member('b', undefined)]), ['AWS refuses the role']],
    ['nonsense', look([member('a', 'latest')]), ['"latest" is no version']],
    [
      'no offer',
      look([member('a', '1.34')], { offers: [offer(SHOP, 'eu-west-1', [], 'access denied')] }),
      ['what EKS offers in eu-west-1 could not be read: access denied'],
    ],
  ])('%s was read: unread as a whole', (_, input, why) => {
    expect(dueIn(input)).toEqual({ kind: 'unread', why });
  });
});

test.each([
  ['as the file names them', [['b'], ['a']], ['b', 'a']],
  ['as after says', [['prod', 'staging'], ['staging', 'dev'], ['dev']], ['dev', 'staging', 'prod']],
  [
    'a circle ends',
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    ['b', 'a'],
  ],
])('environments %s', (_, policies, order) => {
  const after = (name: string | undefined) => (name === undefined ? {} : { after: { environment: name, clusters: [], bakedDays: 0 } });
  expect(environmentOrder(policies.map(([environment = '', before]) => ({ environment, ...after(before) })))).toEqual(order);
});
