/** What the doctor says of accounts and their roles, and how often it asks. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../worker/config/config.ts';
import { type AskWho, examineAccounts } from '../../../worker/doctor/accounts.ts';

const ROLE = 'arn:aws:iam::111122223333:role/belay';
const config = parseConfig(
  `
defaults: { account: "111122223333", region: eu-west-1 }
clusters:
  a: { role: "${ROLE}" }
  b: { role: "${ROLE}", region: eu-central-1 }
  c: { role: "${ROLE}" }
  d: { role: "${ROLE}" }
  other: { account: "444455556666", role: "arn:aws:iam::444455556666:role/belay", writeRole: "arn:aws:iam::444455556666:role/belay-write" }
  own: { account: "777788889999" }
  press: { account: "222233334444", role: "arn:aws:iam::222233334444:role/belay", network: factory }
  robot: { account: "222233334444", network: factory }
`,
  'belay.yaml',
);
const HERE = ['a', 'b', 'c', 'd', 'other', 'own'];
const ELSEWHERE = ['press', 'robot'];

const assumable: AskWho = async (cluster) => {
  const account = config.clusters.get(cluster)?.access.account ?? '';
  return { account, arn: `arn:aws:sts::${account}:assumed-role/belay/belay-${cluster}-doctor` };
};
const failing =
  (name: string, message: string): AskWho =>
  () =>
    Promise.reject(Object.assign(new Error(message), { name }));
const lines = async (ask: AskWho, here = HERE, elsewhere = ELSEWHERE): Promise<string[]> =>
  (await examineAccounts(config, { here, elsewhere }, ask)).map(
    ({ status, message, fix }) => `${status}: ${message}${fix === undefined ? '' : ` → ${fix}`}`,
  );

const UNTRIED =
  'unknown: account 444455556666: arn:aws:iam::444455556666:role/belay-write is not tried before a gate is approved; needed by 1 cluster (other) → see who may assume it with "aws iam get-role --role-name belay-write"';

describe('belay doctor: accounts', () => {
  test('each role once, however many clusters need it', async () => {
    const asked: string[] = [];
    const ask: AskWho = (cluster) => {
      asked.push(cluster);
      return assumable(cluster);
    };
    expect(await lines(ask)).toEqual([
      `ok: account 111122223333: ${ROLE} can be assumed, for 4 clusters (a, b and 2 more)`,
      'ok: account 444455556666: arn:aws:iam::444455556666:role/belay can be assumed, for 1 cluster (other)',
      "ok: account 777788889999: this process's own credentials are of it, for 1 cluster (own)",
      'ok: account 222233334444: arn:aws:iam::222233334444:role/belay can be assumed, for 1 cluster (press)',
      UNTRIED,
    ]);
    expect(asked).toEqual(['a', 'other', 'own', 'press']);
  });

  test('a role that AWS refuses has failed, with the reason; from another network it is unknown', async () => {
    const ask = failing(
      'AccessDenied',
      'User: arn:aws:sts::1:assumed-role/hub/x is not authorized to perform: sts:AssumeRole on resource: r',
    );
    expect(await lines(ask, ['a'])).toEqual([
      `failed: account 111122223333: assuming ${ROLE}: AWS answered AccessDenied (User: arn:aws:sts::1:assumed-role/hub/x is not authorized to perform: sts:AssumeRole on resource: r); allow sts:AssumeRole to who assumes the role, and name them in the role's trust policy (see deploy/); needed by 1 cluster (a) → name this process's identity in the trust policy of ${ROLE}`,
      expect.stringMatching(/^unknown: account 222233334444: assuming arn:aws:iam::222233334444:role\/belay: AWS answered AccessDenied/),
    ]);
  });

  test.each([
    ['no answer', failing('TimeoutError', 'too late')],
    ['throttling', failing('Throttling', 'Rate exceeded')],
    ['no credentials', failing('CredentialsProviderError', 'Could not load credentials from any providers')],
  ])('%s says nothing about the role', async (_what, ask) => {
    expect(await lines(ask, ['a'], [])).toEqual([
      expect.stringMatching(/^unknown: account 111122223333: assuming \S+: .+; needed by 1 cluster \(a\) → /),
    ]);
  });

  test('another account than belay.yaml says', async () => {
    const ask: AskWho = async () => ({ account: '999999999999' });
    expect(await lines(ask, ['a', 'own'], [])).toEqual([
      `failed: account 111122223333: ${ROLE} leads to account 999999999999, and belay.yaml places 1 cluster (a) in 111122223333 → correct account or role of these clusters`,
      "failed: account 777788889999: this process's own credentials lead to account 999999999999, and belay.yaml places 1 cluster (own) in 777788889999 → name a role of 777788889999 for them",
    ]);
  });

  test('thirty accounts, five at once', async () => {
    const file = Array.from({ length: 30 }, (_, at) => {
      const account = 444_400_000_000 + at;
      return `  c${at}: { account: "${account}", region: eu-west-1, role: "arn:aws:iam::${account}:role/belay" }`;
    }).join('\n');
    const many = parseConfig(`clusters:\n${file}\n`, 'belay.yaml');
    let now = 0;
    let most = 0;
    const ask: AskWho = async (cluster) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return { account: many.clusters.get(cluster)?.access.account ?? '' };
    };
    const found = await examineAccounts(many, { here: many.clusterNames, elsewhere: [] }, ask);
    expect([found.filter(({ status }) => status === 'ok').length, most]).toEqual([30, 5]);
  });
});
