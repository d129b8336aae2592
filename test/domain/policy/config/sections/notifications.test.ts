/** `notifications:` in belay.yaml: what is accepted, and each refusal in full. */
import { expect, test } from 'vitest';
import { ALL_EVENTS, MAIL_EVENTS, MAIL_EVENTS_WITHOUT_SLACK } from '../../../../../domain/policy/deliveries.ts';
import { policyOf } from '../../../../../domain/policy/config/of-cluster.ts';
import { parseConfig } from '../../../../../worker/config/config.ts';

const HEAD = `clusters:
  prod: { region: eu-west-1, account: "111122223333", environment: production }
  dev: { region: eu-west-1, account: "111122223333", environment: staging }
slack: { channel: C1 }
`;
const parse = (notifications: string) => parseConfig(`${HEAD}notifications:\n${notifications}`, 'belay.yaml');

test('a webhook hears of everything, mail of starts, gates and ends; filters choose runs', () => {
  const config = parse(`  webhooks:
    - { name: ops, url: "https://hooks.example.com/belay", secretFile: ./secret }
  email:
    - { name: team, host: smtp.example.com, from: Belay <belay@example.com>, to: [team@example.com], environments: [production] }
`);
  expect(config.deliveries.map(({ access }) => access)).toEqual([
    {
      kind: 'webhook',
      name: 'ops',
      events: ALL_EVENTS,
      url: { url: 'https://hooks.example.com/belay' },
      secret: { file: './secret' },
      allowPlainHttp: false,
    },
    {
      kind: 'email',
      name: 'team',
      events: MAIL_EVENTS,
      host: 'smtp.example.com',
      port: 587,
      tls: 'starttls',
      from: 'Belay <belay@example.com>',
      to: ['team@example.com'],
    },
  ]);
  expect(policyOf(config, 'prod').deliveries?.map(({ name }) => name)).toEqual(['ops', 'team']);
  // What a run records holds neither address nor where a secret is.
  expect(policyOf(config, 'dev').deliveries).toEqual([{ name: 'ops', kind: 'webhook', events: ALL_EVENTS }]);
});

test('without Slack a mail is what people have: it also says what needs somebody beside gates', () => {
  const mail = '  email: [{ name: team, host: smtp.example.com, from: a@example.com, to: [b@example.com] }]\n';
  const events = (head: string) => policyOf(parseConfig(`${head}notifications:\n${mail}`, 'belay.yaml'), 'prod').deliveries?.[0]?.events;
  const alone = events(HEAD.replace('slack: { channel: C1 }\n', '')) ?? [];
  expect(new Set(alone)).toEqual(new Set(MAIL_EVENTS_WITHOUT_SLACK));
  expect(alone.filter((type) => events(HEAD)?.includes(type) === false)).toEqual([
    'change.requested',
    'rollback.opened',
    'rollback.closing',
    'rollback.unrequested',
    'note.alarm',
    'campaign.note.alarm',
  ]);
});

test('without the section a policy is as it was', () => {
  expect(policyOf(parseConfig(HEAD, 'belay.yaml'), 'prod')).not.toHaveProperty('deliveries');
});

/** The whole message. */
function thrownBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
}

const webhook = (fields: string): string => `  webhooks:\n    - { name: ops, ${fields} }\n`;
const email = (fields: string): string => `  email:\n    - { name: team, from: a@example.com, to: [b@example.com], ${fields} }\n`;
const HOOK = 'url: "https://hooks.example.com/belay", secretFrom: SECRET';

test.each([
  [
    'no address',
    webhook('secretFrom: SECRET'),
    'belay.yaml:7: notifications.webhooks[0].url: is missing; write an address such as https://hooks.example.com/belay by url, urlFrom or urlFile',
  ],
  [
    'two addresses',
    webhook('url: "https://hooks.example.com", urlFile: ./url, secretFrom: SECRET'),
    'belay.yaml:7: notifications.webhooks[0].urlFile: stands beside url; write one of them',
  ],
  [
    'no secret',
    webhook('url: "https://hooks.example.com"'),
    'belay.yaml:7: notifications.webhooks[0].secretFile: is missing; write where the signing secret is by secretFrom or secretFile',
  ],
  [
    'plain http',
    webhook('url: "http://hooks.example.com/x", secretFrom: SECRET'),
    'belay.yaml:7: notifications.webhooks[0].url: http://hooks.example.com is plain http, and events would be readable on the way; use https:// or set allowPlainHttp',
  ],
  [
    'credentials in the address',
    webhook('url: "https://u:p@hooks.example.com", secretFrom: SECRET'),
    'belay.yaml:7: notifications.webhooks[0].url: holds credentials, and no secret belongs into this file; name a file or a variable by urlFile or urlFrom',
  ],
  [
    'an event that is none',
    webhook(`${HOOK}, events: [gate.open]`),
    'belay.yaml:7: notifications.webhooks[0].events[0]: "gate.open" is not valid; did you mean "gate.opened"?',
  ],
  [
    'a key that is none',
    webhook(`${HOOK}, secretfile: ./x`),
    'belay.yaml:7: notifications.webhooks[0].secretfile: unknown key; did you mean "secretFile"?',
  ],
  [
    'a cluster that is none',
    webhook(`${HOOK}, clusters: [prd]`),
    'belay.yaml:7: notifications.webhooks[0].clusters[0]: no cluster "prd" in this file; did you mean "prod"?',
  ],
  [
    'an environment that is none',
    webhook(`${HOOK}, environments: [stagging]`),
    'belay.yaml:7: notifications.webhooks[0].environments[0]: no environment "stagging" in this file; did you mean "staging"?',
  ],
  [
    'a name twice',
    `${webhook(HOOK)}    - { name: ops, ${HOOK} }\n`,
    'belay.yaml:8: notifications.webhooks[1].name: "ops" is the name of another delivery; write one of its own',
  ],
  [
    'a recipient that begins a header',
    '  email:\n    - { name: team, host: smtp.example.com, from: a@example.com, to: ["b@example.com\\r\\nBcc: all@example.com"] }\n',
    'belay.yaml:7: notifications.email[0].to[0]: "b@example.com\\r\\nBcc: all@example.com" is not valid; write an address such as belay@example.com',
  ],
  [
    'a sender that begins a header',
    '  email:\n    - { name: team, host: smtp.example.com, from: "Belay\\nBcc: x <a@example.com>", to: [b@example.com] }\n',
    'belay.yaml:7: notifications.email[0].from: "Belay\\nBcc: x <a@example.com>" is not valid; write an address such as belay@example.com or Belay <belay@example.com>',
  ],
  [
    'a user without a password',
    email('host: smtp.example.com, user: belay'),
    'belay.yaml:7: notifications.email[0].passwordFile: is missing; write where the password of user is by passwordFrom or passwordFile',
  ],
  [
    'a password without a user',
    email('host: smtp.example.com, passwordFrom: PASSWORD'),
    'belay.yaml:7: notifications.email[0].user: is missing; write whose password it is',
  ],
  [
    'plain text to another host',
    email('host: smtp.example.com, tls: none'),
    'belay.yaml:7: notifications.email[0].tls: none sends mail to smtp.example.com in plain text; write starttls or implicit, or set allowPlainText',
  ],
  [
    'a password in plain text',
    email('host: smtp.example.com, tls: none, allowPlainText: true, user: belay, passwordFrom: PASSWORD'),
    'belay.yaml:7: notifications.email[0].tls: none would send the password in plain text; write starttls or implicit',
  ],
])('%s is refused', (_what, notifications, words) => {
  expect(thrownBy(() => parse(notifications))).toBe(words);
});
