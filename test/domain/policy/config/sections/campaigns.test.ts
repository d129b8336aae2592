/** `campaigns:` of belay.yaml: defaults, what a campaign takes from the file, and errors that name field, value and fix. */
import { describe, expect, test } from 'vitest';
import { campaignOf } from '../../../../../domain/policy/config/of-cluster.ts';
import type { CampaignPolicy } from '../../../../../domain/policy/campaigns.ts';
import { parseConfig } from '../../../../../worker/config/config.ts';
import { failure } from '../../../../support/thrown.ts';

const HOUR = 3_600_000;

const file = (campaign: string): string => `clusters:
  dev-1: { region: eu-west-1, account: "111122223333", environment: dev }
  prod-1: { region: eu-west-1, account: "444455556666", environment: production }
approvals: { users: [U012AB3CD, U045EF6GH], quorum: 2 }
slack: { channel: C012AB3CD }
campaigns:
  to-1-34: ${campaign}
`;

const read = (campaign: string): CampaignPolicy => campaignOf(parseConfig(file(campaign), 'belay.yaml'), 'to-1-34');
const says = (campaign: string): string => failure(() => read(campaign));

const RINGS = 'rings: [{ name: dev }]';
const withRing = (ring: string): string => `{ target: "1.34", rings: [{ name: dev, ${ring} }] }`;
const withMore = (more: string): string => `{ target: "1.34", ${RINGS}, ${more} }`;

describe('a campaign that says little', () => {
  test('F7: allows no failure, asks at each ring, soaks for a day, and refuses what it does not cover', () => {
    const { approvals: _approvals, timing: _timing, windows: _windows, ...policy } = read('{ target: "1.34", rings: [{ name: dev }] }');
    expect(policy).toEqual({
      name: 'to-1-34',
      target: '1.34',
      select: {},
      exclude: [],
      rings: [
        {
          name: 'dev',
          select: {},
          optional: false,
          canary: false,
          parallel: { kind: 'count', value: 1 },
          failures: { kind: 'count', value: 0 },
          soakMs: 24 * HOUR,
          soakOnRed: 'restart',
          promotion: 'ask',
          coversStart: false,
        },
      ],
      rest: 'refuse',
      hops: 'refuse',
      startsPerMinute: 5,
      stuckAfterMs: 12 * HOUR,
      channel: 'C012AB3CD',
    });
  });

  test('is decided by the approvers of the file, in its channel', () => {
    expect(read(withMore('hops: allowed'))).toMatchObject({
      hops: 'allowed',
      channel: 'C012AB3CD',
      approvals: { users: ['U012AB3CD', 'U045EF6GH'], quorum: 2, allowRequester: false },
    });
  });
});

test('what a campaign says itself goes before the file, key by key', () => {
  const policy = read(withMore('channel: upgrades, approvals: { groups: [S012AB3CD], quorum: 1 }'));
  expect(policy).toMatchObject({ channel: 'upgrades', approvals: { users: ['U012AB3CD', 'U045EF6GH'], groups: ['S012AB3CD'], quorum: 1 } });
});

test.each([
  ['exceptions', 'exceptions'],
  ['all', 'all'],
])('its runs tell channels %s', (written, notify) => {
  expect(read(withMore(`notify: ${written}`))).toMatchObject({ notify });
});

test('groups that decide only on a campaign are among those whose members are read', () => {
  const config = parseConfig(file(withMore('approvals: { groups: [S012AB3CD], escalation: { groups: [S045EF6GH] } }')), 'belay.yaml');
  expect(config.approverGroups).toEqual(['S012AB3CD', 'S045EF6GH']);
});

test('every setting is read as it is written', () => {
  const policy = read(`
    target: "1.34"
    select: { environments: [dev, production], accounts: ["111122223333"], regions: [eu-west-1], tags: { team: shop, empty: "" }, clusters: [dev-1] }
    exclude: [{ clusters: [prod-1], reason: audit, until: 2027-01-31 }, { clusters: [dev-1], reason: moves away }]
    rings:
      - { name: canary, select: { clusters: [dev-1] }, canary: true, optional: true, soak: 90m, soakOnRed: hold, promotion: after-soak, coversStart: true }
      - { name: prod, order: [prod-1, dev-1], parallel: 20%, failures: 10%, succeed: 95% }
      - { name: rest, parallel: 3, failures: 1, succeed: 2, soak: 0 }
    rest: exclude
    hops: allowed
    parallel: 50
    perAccount: 5
    perRegion: 2
    startsPerMinute: 20
    stuckAfter: 4h
    finishBy: 2026-11-30`);
  expect(policy).toMatchObject({
    select: {
      environments: ['dev', 'production'],
      accounts: ['111122223333'],
      regions: ['eu-west-1'],
      tags: { team: 'shop', empty: '' },
      clusters: ['dev-1'],
    },
    exclude: [
      { clusters: ['prod-1'], reason: 'audit', until: '2027-01-31' },
      { clusters: ['dev-1'], reason: 'moves away' },
    ],
    rest: 'exclude',
    hops: 'allowed',
    parallel: 50,
    perAccount: 5,
    perRegion: 2,
    startsPerMinute: 20,
    stuckAfterMs: 4 * HOUR,
    finishBy: '2026-11-30',
  });
  expect(policy.rings).toEqual([
    expect.objectContaining({
      name: 'canary',
      select: { clusters: ['dev-1'] },
      canary: true,
      optional: true,
      soakMs: 1.5 * HOUR,
      soakOnRed: 'hold',
      promotion: 'after-soak',
      coversStart: true,
    }),
    expect.objectContaining({
      order: ['prod-1', 'dev-1'],
      parallel: { kind: 'percent', value: 20 },
      failures: { kind: 'percent', value: 10 },
      succeed: { kind: 'percent', value: 95 },
    }),
    expect.objectContaining({
      parallel: { kind: 'count', value: 3 },
      failures: { kind: 'count', value: 1 },
      succeed: { kind: 'count', value: 2 },
      soakMs: 0,
    }),
  ]);
});

const AT = 'belay.yaml:7: campaigns.to-1-34';
const SHARE = 'write a whole number, or a percentage in quotes such as "20%"';
const FROM_1 = 'write a whole number from 1, or a percentage in quotes such as "20%"';
const DAY = 'write a day such as 2026-12-31';

describe('bad input', () => {
  test.each<[string, string, string]>([
    [
      'an unknown cluster, with a near one',
      withMore('select: { clusters: [prod-2] }'),
      `${AT}.select.clusters: names cluster "prod-2", which is not in this file; did you mean "prod-1"?`,
    ],
    [
      'an unknown cluster of a ring',
      withRing('select: { clusters: [warehouse] }'),
      `${AT}.rings[0].select.clusters: names cluster "warehouse", which is not in this file`,
    ],
    [
      'an unknown cluster in the order of a ring',
      withRing('order: [prod-2]'),
      `${AT}.rings[0].order: names cluster "prod-2", which is not in this file; did you mean "prod-1"?`,
    ],
    [
      'an unknown environment, with a near one',
      withRing('select: { environments: [prodution] }'),
      `${AT}.rings[0].select.environments: names environment "prodution", which is not in this file; did you mean "production"?`,
    ],
    [
      'an unknown cluster that is left out: it would be upgraded under its real name',
      withMore('exclude: [{ clusters: [dev-2], reason: audit }]'),
      `${AT}.exclude[0].clusters: names cluster "dev-2", which is not in this file; did you mean "dev-1"?`,
    ],
    [
      'two rings of one name',
      '{ target: "1.34", rings: [{ name: dev }, { name: prod }, { name: dev }] }',
      `${AT}.rings: two rings are called "dev"; give each a name of its own`,
    ],
    ['no rings', '{ target: "1.34", rings: [] }', `${AT}.rings: [] is not valid; write at least one ring`],
    ['rings left away', '{ target: "1.34" }', `${AT}.rings: is missing; write a list of rings, each with a name and what it selects`],
    ['no target', `{ ${RINGS} }`, `${AT}.target: is missing; write a Kubernetes minor in quotes, such as "1.34"`],
    ['more than all', withRing('failures: "120%"'), `${AT}.rings[0].failures: "120%" is not valid; ${SHARE}`],
    ['a negative share', withRing('failures: -1'), `${AT}.rings[0].failures: -1 is not valid; ${SHARE}`],
    ['half a cluster', withRing('failures: 0.5'), `${AT}.rings[0].failures: 0.5 is not valid; ${SHARE}`],
    ['none at a time', withRing('parallel: 0'), `${AT}.rings[0].parallel: 0 is not valid; ${FROM_1}`],
    ['none at a time, as a share', withRing('parallel: 0%'), `${AT}.rings[0].parallel: "0%" is not valid; ${FROM_1}`],
    ['more than all at a time', withRing('parallel: 200%'), `${AT}.rings[0].parallel: "200%" is not valid; ${FROM_1}`],
    ['a ring that needs no success', withRing('succeed: 0'), `${AT}.rings[0].succeed: 0 is not valid; ${FROM_1}`],
    [
      'a ring of that name cannot be asked for',
      '{ target: "1.34", rings: [{ name: "Dev 1" }] }',
      `${AT}.rings[0].name: "Dev 1" is not valid; write a name such as canary`,
    ],
    [
      'no length of time',
      withRing('soak: a day'),
      `${AT}.rings[0].soak: "a day" is not valid; write a duration with its unit, such as "30s", "10m" or "24h"`,
    ],
    ['a word for the soak', withRing('soakOnRed: reset'), `${AT}.rings[0].soakOnRed: "reset" is not valid; write restart or hold`],
    [
      'a word for the promotion',
      withRing('promotion: approval'),
      `${AT}.rings[0].promotion: "approval" is not valid; write ask or after-soak`,
    ],
    ['no approval by the way', withRing('promotion: never'), `${AT}.rings[0].promotion: "never" is not valid; write ask or after-soak`],
    [
      'an empty list of accounts',
      withMore('select: { accounts: [] }'),
      `${AT}.select.accounts: [] is not valid; write a list of account ids in quotes`,
    ],
    [
      'an empty list of clusters',
      withMore('select: { clusters: [] }'),
      `${AT}.select.clusters: [] is not valid; write a list of clusters of this file`,
    ],
    ['a tag that is a list', withMore('select: { tags: [team] }'), `${AT}.select.tags: ["team"] is not valid; write tags as key: value`],
    ['a day that the calendar does not have', withMore('finishBy: 2026-02-30'), `${AT}.finishBy: "2026-02-30" is not valid; ${DAY}`],
    [
      'a day in words',
      withMore('exclude: [{ clusters: [dev-1], reason: audit, until: tomorrow }]'),
      `${AT}.exclude[0].until: "tomorrow" is not valid; ${DAY}`,
    ],
    [
      'nobody says why',
      withMore('exclude: [{ clusters: [dev-1] }]'),
      `${AT}.exclude[0].reason: is missing; write why, such as audit until January`,
    ],
    ['no run in an account', withMore('perAccount: 0'), `${AT}.perAccount: 0 is not valid; write a whole number from 1`],
    ['no run in a region', withMore('perRegion: 1.5'), `${AT}.perRegion: 1.5 is not valid; write a whole number from 1`],
    ['no run at all', withMore('parallel: none'), `${AT}.parallel: "none" is not valid; write a whole number from 1`],
    ['what becomes of the rest', withMore('rest: ignore'), `${AT}.rest: "ignore" is not valid; write refuse or exclude`],
    ['whom its runs tell', withMore('notify: none'), `${AT}.notify: "none" is not valid; write exceptions or all`],
    ['hops', withMore('hops: 2'), `${AT}.hops: 2 is not valid; write refuse or allowed`],
    ['a key of a ring with a slip', withRing('failure: 1'), `${AT}.rings[0].failure: unknown key; did you mean "failures"?`],
    ['a bypass that there is not', withMore('force: true'), expect.stringContaining(`${AT}.force: unknown key; there are target, select,`)],
    [
      'a quorum that nobody can meet',
      withMore('approvals: { quorum: 3 }'),
      `${AT}.approvals.quorum: 3 people have to approve but users names only 2, so no gate could pass; add users or groups, or lower it`,
    ],
    [
      'command lines that nobody verifies, of whom several had to approve',
      withMore('approvals: { allowUnverifiedCli: true }'),
      `${AT}.approvals.allowUnverifiedCli: is for one approver and no rules: all command lines that nobody verifies count as one voter. Name people by AWS under people instead, or lower quorum to 1 and remove rules`,
    ],
    [
      'a file of several mistakes says them all',
      '{ target: "1.34", rings: [{ name: dev, parallel: 0, failures: "120%" }] }',
      `${AT}.rings[0].parallel: 0 is not valid; ${FROM_1}\n${AT}.rings[0].failures: "120%" is not valid; ${SHARE}`,
    ],
  ])('%s', (_title, campaign, expected) => {
    expect(says(campaign)).toEqual(expected);
  });

  test('nobody who may decide: a campaign is no way around approvers', () => {
    const nobody = file(withMore('hops: allowed')).replace('users: [U012AB3CD, U045EF6GH], quorum: 2', 'users: []');
    expect(failure(() => parseConfig(nobody, 'belay.yaml'))).toContain(
      'campaigns.to-1-34.approvals: names nobody who may decide, so no upgrade is started',
    );
  });

  test('a name that no command could ask for', () => {
    expect(failure(() => parseConfig(file(withMore('hops: allowed')).replace('to-1-34:', 'To/Prod:'), 'belay.yaml'))).toMatch(
      /^belay\.yaml:7: campaigns\.To\/Prod: .* is not valid; name it in lower-case letters, digits and hyphens, such as to-1-34$/,
    );
  });
});

describe('a campaign that is asked for', () => {
  const config = parseConfig(file(withMore('hops: allowed')), 'belay.yaml');
  const without = parseConfig(file(withMore('hops: allowed')).replace(/campaigns:[^]*$/, ''), 'belay.yaml');

  test.each([
    ['with a slip', config, 'to-1-35', 'belay.yaml: campaigns: no campaign "to-1-35"; did you mean "to-1-34"? there are: to-1-34'],
    ['that is nothing like one', config, 'winter', 'belay.yaml: campaigns: no campaign "winter"; there are: to-1-34'],
    [
      'of a file without any',
      without,
      'to-1-34',
      'belay.yaml: campaigns: no campaign "to-1-34"; the file has none; docs/operate/campaigns.md shows how to write one',
    ],
  ])('%s is not there', (_title, of, name, expected) => {
    expect(failure(() => campaignOf(of, name))).toBe(expected);
  });
});
