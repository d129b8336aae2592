/** Which person an ARN is: forms that belay.yaml may have, and what is compared with them. */
import { describe, expect, test } from 'vitest';
import { validateConfig } from '../../../domain/policy/config/config.ts';
import { canonicalIdentity, isPlainName, isSlackUser, peopleOf, PERSON } from '../../../domain/policy/identities.ts';

const STS = 'arn:aws:sts::111122223333:assumed-role';
const SSO = 'AWSReservedSSO_PlatformEngineer';

describe('an identity of belay.yaml', () => {
  test.each([
    ['arn:aws:iam::111122223333:user/team/sam', 'arn:aws:iam::111122223333:user/team/sam'],
    ['arn:aws:iam::111122223333:role/Admin', `${STS}/Admin/*`],
    ['arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/eu-west-1/Admin', `${STS}/Admin/*`],
    [`${STS}/Admin/sam`, `${STS}/Admin/sam`],
    [`${STS}/${SSO}_*/sam@example.com`, `${STS}/${SSO}_*/sam@example.com`],
    ['arn:aws-us-gov:iam::111122223333:user/sam', 'arn:aws-us-gov:iam::111122223333:user/sam'],
    // Anybody may make a role whose name begins so, but for those of IAM Identity Center.
    [`${STS}/Admin*/sam`, undefined],
    [`${STS}/*/sam`, undefined],
    [`${STS}/Admin/s*`, undefined],
    [`${STS}/AWSReservedSSO_*/sam`, undefined],
    ['arn:aws:iam::111122223333:root', undefined],
    ['arn:aws:iam::111122223333:user/*', undefined],
    ['sam', undefined],
  ])('%s', (arn, canonical) => {
    expect(canonicalIdentity(arn)).toBe(canonical);
  });
});

describe('who a caller is', () => {
  const people = {
    U0SAM: [`${STS}/${SSO}_*/sam@example.com`, 'arn:aws:iam::111122223333:user/sam'],
    U0RIN: [`${STS}/OnCall/*`],
  };

  test.each([
    [`${STS}/${SSO}_0a1b2c3d4e5f6789/sam@example.com`, ['U0SAM']],
    ['arn:aws:iam::111122223333:user/sam', ['U0SAM']],
    [`${STS}/OnCall/whoever`, ['U0RIN']],
    [`${STS}/${SSO}_0a1b2c3d4e5f6789/eve@example.com`, []],
    [`${STS}/${SSO}/sam@example.com`, []],
    [`arn:aws:sts::999988887777:assumed-role/OnCall/whoever`, []],
    ['arn:aws:iam::111122223333:user/SAM', []],
    ['arn:aws:iam::111122223333:user/x/sam', []],
    // An ARN of AWS holds no *: nobody may call themselves by the pattern.
    [`${STS}/OnCall/*`, []],
  ])('%s', (arn, who) => {
    expect(peopleOf(people, arn)).toEqual(who);
  });
});

describe('people in belay.yaml', () => {
  const read = (people: unknown) =>
    validateConfig(
      { clusters: { prod: { region: 'eu-west-1', account: '111122223333' } }, slack: { channel: 'C012AB3CD' }, people },
      { fileName: 'belay.yaml' },
    );

  test.each([
    [
      'one session of two people',
      { U0SAM: { aws: [`${STS}/Admin/sam`] }, U0RIN: { aws: ['arn:aws:iam::111122223333:role/Admin'] } },
      `gives ${STS}/Admin/* to U0RIN, and U0SAM has ${STS}/Admin/sam`,
    ],
    ['no ARN', { U0SAM: { aws: ['sam'] } }, 'write the ARN of an IAM user'],
    [
      'a name instead of an id',
      { sam: { aws: ['arn:aws:iam::111122223333:user/sam'] } },
      'people.sam: "sam" is not valid; write a Slack user id',
    ],
    [
      'what is neither',
      { '@sam': { aws: ['arn:aws:iam::111122223333:user/sam'] } },
      'write people by their Slack user ids, or without Slack',
    ],
    ['nobody', { U0SAM: { aws: [] } }, 'write at least one ARN'],
  ])('%s is refused', (_what, people, message) => {
    expect(() => read(people)).toThrow(message);
  });

  test('stand in the policy of each cluster in the form that is compared', () => {
    const config = read({ U0SAM: { aws: ['arn:aws:iam::111122223333:role/x/Admin'] } });
    expect(config.clusters.get('prod')?.policy.people).toEqual({ U0SAM: [`${STS}/Admin/*`] });
  });
});

test.each<[string, boolean, boolean]>([
  ['U012AB3CD', true, false],
  ['W012AB3CD', true, false],
  ['sam', false, true],
  ['rin.o_2-x', false, true],
  ['Sam', false, false],
  ['U1', false, false],
  ['S012AB3CD', false, false],
  ['', false, false],
  ['<!channel>', false, false],
  ['sam|x', false, false],
  ['a'.repeat(41), false, false],
  ['sam\nU012AB3CD', false, false],
])('%j: a Slack user id %j, a plain name %j', (person, id, name) => {
  expect([isSlackUser(person), isPlainName(person), PERSON.test(person)]).toEqual([id, name, id || name]);
});
