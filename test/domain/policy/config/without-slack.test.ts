/** A file without any channel: what it may say, what is refused, and what a run gets of it. */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../domain/policy/config/config.ts';
import { campaignOf, policyForStart, policyOf } from '../../../../domain/policy/config/of-cluster.ts';
import { NO_SLACK } from '../../../../domain/policy/policy.ts';
import { parseConfig } from '../../../../worker/config/config.ts';
import { failure } from '../../../support/thrown.ts';

const CLUSTER = `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
`;
const sam = (name = 'sam'): string => `${name}: { aws: ["arn:aws:sts::123456789012:assumed-role/Admin/${name}"] }`;
const GOOD = `${CLUSTER}approvals: { users: [sam, U012AB3CD] }
people: { ${sam()} }
`;
const read = (yaml: string): Config => parseConfig(yaml, 'belay.yaml');
const GROUPS =
  'names Slack user groups, and without Slack (no slack.channel in this file) nobody can look up who is in them; name each person under users, with their AWS identities under people, or write slack.channel';

test('a run can start, is told in its history alone, and knows people by name', () => {
  const config = read(GOOD);
  expect(config.usesSlack).toBe(false);
  expect(policyForStart(config, 'prod')).toMatchObject({
    channel: NO_SLACK,
    approvals: { users: ['sam', 'U012AB3CD'] },
    people: { sam: ['arn:aws:sts::123456789012:assumed-role/Admin/sam'] },
  });
  const more = read(`${GOOD}campaigns: { to-1-34: { target: "1.34", rings: [{ name: all }] } }\nproposals: { enabled: true }\n`);
  expect([campaignOf(more, 'to-1-34').channel, more.proposals?.channel]).toEqual([NO_SLACK, NO_SLACK]);
});

describe('any channel is Slack, which then wants what it always wanted', () => {
  test.each([
    ['slack.channel', 'slack: { channel: C012AB3CD }', 'C012AB3CD'],
    ['the second channel alone', 'slack: { stakeholders: C012AB3CD }', undefined],
    ['that of a campaign', 'campaigns: { to-1-34: { target: "1.34", channel: C012AB3CD, rings: [{ name: all }] } }', undefined],
    ['that of proposals', 'proposals: { channel: C012AB3CD }', undefined],
    ['that of all clusters', 'defaults: { channel: C012AB3CD }', 'C012AB3CD'],
  ])('%s', (_what, line, channel) => {
    const config = read(`${CLUSTER}approvals: { users: [U012AB3CD], groups: [S012AB3CD] }\n${line}\n`);
    expect(config.usesSlack).toBe(true);
    expect(policyOf(config, 'prod').channel).toBe(channel);
    const missing = failure(() => policyForStart(config, 'prod'));
    expect(missing).toBe(
      channel === undefined
        ? 'belay.yaml: slack.channel: is missing, so nobody would see the upgrade and none is started; write a channel id such as C012AB3CD'
        : '(nothing was thrown)',
    );
  });
});

describe('groups, which only Slack knows: the file is read, and nothing is started by it, wherever they stand', () => {
  test.each([
    ['approvals: { groups: [S012AB3CD] }', ':3: approvals.groups'],
    ['approvals: { users: [sam], rules: { owners: { groups: [S012AB3CD] } } }', ':3: approvals.rules.owners.groups'],
    [
      'approvals: { users: [sam], phases: { control-plane: { rules: { owners: { groups: [S1A] } } } } }',
      ':3: approvals.phases.control-plane.rules.owners.groups',
    ],
    ['approvals: { users: [sam], escalation: { groups: [S012AB3CD] } }', ':3: approvals.escalation.groups'],
    ['approvals: { users: [sam], breakGlass: { groups: [S012AB3CD] } }', ':3: approvals.breakGlass.groups'],
    ['approvals: { users: [sam], requesters: { groups: [S012AB3CD] } }', ':3: approvals.requesters.groups'],
    ['defaults: { approvals: { groups: [S012AB3CD] } }', ':3: defaults.approvals.groups'],
    ['environments: { prod: { approvals: { groups: [S012AB3CD] } } }', ':3: environments.prod.approvals.groups'],
    [
      'campaigns: { to-1-34: { target: "1.34", approvals: { groups: [S012AB3CD] }, rings: [{ name: all }] } }',
      ':3: campaigns.to-1-34.approvals.groups',
    ],
  ])('%s', (line, path) => {
    const config = read(`${CLUSTER}${line}\n`);
    expect(policyOf(config, 'prod').channel).toBe(NO_SLACK);
    expect(failure(() => policyForStart(config, 'prod'))).toBe(`belay.yaml${path}: ${GROUPS}`);
  });

  test('no groups are none', () => {
    expect(policyForStart(read(GOOD.replace('users:', 'groups: [], users:')), 'prod').channel).toBe(NO_SLACK);
  });
});

describe('whoever decides has to be known on the command line', () => {
  const none = (who: string): string =>
    `belay.yaml: people: gives no AWS identity of ${who}, and without Slack (no slack.channel in this file) people decide by command line alone, so no gate could pass; write their ARNs under people, or write slack.channel`;

  test.each([
    ['nobody is', `${CLUSTER}approvals: { users: [sam] }\n`, none('sam')],
    ['one of two', GOOD.replace('users:', 'quorum: 2, users:'), none('U012AB3CD')],
    ['nobody of a rule', GOOD.replace('users:', 'rules: { owners: { users: [rin, kim] } }, users:'), none('rin, kim')],
    [
      'only one of two whom two rules need',
      GOOD.replace('users:', 'rules: { owners: { users: [sam, kim] } }, users:'),
      none('U012AB3CD, kim'),
    ],
  ])('%s: reading works, starting is refused', (_what, yaml, message) => {
    expect(failure(() => policyForStart(read(yaml), 'prod'))).toBe(message);
  });

  test('or nobody has to be', () => {
    const config = read(`${CLUSTER}approvals: { users: [sam], allowUnverifiedCli: true }\n`);
    expect(policyForStart(config, 'prod').channel).toBe(NO_SLACK);
  });
});

test('Slack knows no names: with a channel people have their ids', () => {
  const yaml = `${GOOD.replace('[sam, U012AB3CD]', '[sam, U012AB3CD], breakGlass: { users: [kim] }')}slack: { channel: C012AB3CD }\n`;
  const right = 'is not valid; write a Slack user id such as U012AB3CD';
  expect(failure(() => read(yaml))).toBe(
    [
      `belay.yaml:4: people.sam: "sam" ${right}`,
      `belay.yaml:3: approvals.users[0]: "sam" ${right}`,
      `belay.yaml:3: approvals.breakGlass.users[0]: "kim" ${right}`,
    ].join('\n'),
  );
});
