/** What could be written into belay.yaml: as belay.yaml takes it. */
import { expect, test } from 'vitest';
import { campaignSnippet } from '../../../../domain/run/proposals/snippet.ts';
import { parseConfig } from '../../../../worker/config/config.ts';

const of = (...names: string[]) => ({ target: '1.35', environments: names.map((name) => ({ name, clusterCount: 1 })) });

const fileWith = (snippet: string, names: string[]): string =>
  `clusters:\n${names.map((name, index) => `  c${index}: { region: eu-west-1, account: "111122223333", environment: ${JSON.stringify(name)} }`).join('\n')}
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
${snippet}`;

test('a ring for each environment, in their order', () => {
  expect(campaignSnippet(of('dev', 'production'), [])).toBe(`campaigns:
  to-1-35:
    target: "1.35"
    rest: exclude
    rings:
      - { name: dev, select: { environments: [dev] } }
      - { name: production, select: { environments: [production] } }
`);
});

test.each([
  ['names that are no names of rings', ['Prod EU', 'prod-eu', '1st', '生産', 'x'.repeat(60)], []],
  ['words that YAML would read otherwise', ['no', 'on', 'null', '1.5', 'a: b', '[x]', '#c', '"'], []],
  ['more environments than rings', Array.from({ length: 30 }, (_, index) => `cluster-${index}`), []],
  ['a name that is taken', ['dev'], ['to-1-35', 'to-1-35-2']],
])('%s', (_, names, taken) => {
  const { campaigns } = parseConfig(fileWith(campaignSnippet(of(...names), taken), names), 'belay.yaml');
  const [campaign] = campaigns.values();
  expect(campaign?.rings.flatMap(({ select }) => select.environments)).toEqual(names);
  expect(campaign?.rings.length).toBeLessThanOrEqual(8);
  expect(taken).not.toContain(campaign?.name);
});
