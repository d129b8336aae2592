/** `notifications:` in belay.yaml: signed webhooks and e-mail beside Slack. */
import { z } from 'zod';
import {
  ALL_EVENTS,
  type ConfiguredDelivery,
  type EventType,
  MAIL_EVENTS,
  MAIL_EVENTS_WITHOUT_SLACK,
  type SecretPlace,
} from '../../deliveries.ts';
import { httpUrl, text } from '../base/fields.ts';
import { nearest } from '../base/nearest.ts';

const RIGHT_ADDRESS = 'write an address such as belay@example.com';
/** No space, no control character, none of the characters that end or quote an address: nothing of it can begin another header. */
const ADDRESS = String.raw`[^\s<>@,;:"()\[\]\\\p{Cc}]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?`;
const RIGHT_PORT = 'write a port from 1 to 65535';

const variable = text('write the name of a variable of the environment such as OPS_WEBHOOK_SECRET', /^[A-Za-z_][A-Za-z0-9_]*$/);
const file = text('write the path of a file');
const eventType = z.enum(ALL_EVENTS as [EventType, ...EventType[]], {
  error: ({ input }) => {
    const close = nearest(String(input), ALL_EVENTS);
    return close === undefined ? `write one of ${ALL_EVENTS.join(', ')}` : `did you mean "${close}"?`;
  },
});

const common = {
  name: text('write a name such as ops: lower-case letters, digits and "-"', /^[a-z0-9][a-z0-9-]{0,39}$/).describe(
    'Its name in logs and metrics, and what runs record of it',
  ),
  events: z
    .array(eventType, { error: 'write a list of events such as [gate.opened, upgrade.finished]' })
    .min(1, { error: 'write at least one event' })
    .optional(),
  environments: z
    .array(text('write the name of an environment'), { error: 'write a list of environments' })
    .describe('Only runs of clusters in these environments')
    .optional(),
  clusters: z
    .array(text('write the name of a cluster'), { error: 'write a list of clusters' })
    .describe('Only runs of these clusters')
    .optional(),
};

const webhook = z.strictObject({
  ...common,
  events: common.events.describe('What is sent'),
  url: httpUrl('name a file or a variable by urlFile or urlFrom').describe('Address that events are posted to').optional(),
  urlFrom: variable.describe('Variable with the address, where the address holds a token').optional(),
  urlFile: file.describe('File with the address, relative to belay.yaml').optional(),
  secretFrom: variable
    .describe('Variable with the signing secret (whsec_…); two with a space between them while one replaces the other')
    .optional(),
  secretFile: file.describe('File with the signing secret, one on each line').optional(),
  allowPlainHttp: z
    .boolean({ error: 'write true or false' })
    .describe('Post over http:// to other hosts, not only over https:// or to this machine')
    .optional(),
});

const email = z.strictObject({
  ...common,
  events: common.events.describe('What is sent'),
  host: text('write a host such as smtp.example.com', /^[A-Za-z0-9[](?:[A-Za-z0-9.:\]-]*)$/).describe('Mail server'),
  port: z
    .number({ error: RIGHT_PORT })
    .int({ error: RIGHT_PORT })
    .min(1, { error: RIGHT_PORT })
    .max(65_535, { error: RIGHT_PORT })
    .describe('Its port')
    .optional(),
  tls: z
    .enum(['starttls', 'implicit', 'none'], { error: 'write starttls, implicit or none' })
    .describe('starttls: TLS is required, and begun by STARTTLS; implicit: from the first byte; none: plain text')
    .optional(),
  allowPlainText: z
    .boolean({ error: 'write true or false' })
    .describe('tls: none to another host than this machine; never with a password')
    .optional(),
  user: text('write the user of the mail server', /^[^\p{Cc}]+$/u)
    .describe('Who signs in')
    .optional(),
  passwordFrom: variable.describe('Variable with the password of user').optional(),
  passwordFile: file.describe('File with the password of user, relative to belay.yaml').optional(),
  from: text(
    `${RIGHT_ADDRESS} or Belay <belay@example.com>`,
    new RegExp(String.raw`^(?:[^<>"\\,;:@\p{Cc}]+ <${ADDRESS}>|${ADDRESS})$`, 'u'),
  ).describe('Sender'),
  to: z
    .array(text(RIGHT_ADDRESS, new RegExp(`^${ADDRESS}$`, 'u')), { error: 'write a list of addresses' })
    .min(1, { error: 'write at least one address' })
    .max(50, { error: 'write at most 50 addresses; a mailing list reaches more' })
    .describe('Recipients'),
});

export const notificationsSchema = z
  .strictObject({
    webhooks: z.array(webhook, { error: 'write a list of webhooks' }).describe('CloudEvents, signed as Standard Webhooks says').optional(),
    email: z.array(email, { error: 'write a list of mail deliveries' }).describe('E-mail by SMTP').optional(),
  })
  .describe('Who hears of runs beside Slack');

type NotificationsInput = z.output<typeof notificationsSchema>;
type WebhookInput = z.output<typeof webhook>;
type EmailInput = z.output<typeof email>;

interface Problem {
  path: (string | number)[];
  message: string;
}

/** What the shapes alone do not say: names that are not in the file or are there twice, and secrets that have no place or two. */
export function notificationProblems(
  given: NotificationsInput | undefined,
  known: { clusters: readonly string[]; environments: readonly string[] },
): Problem[] {
  const seen = new Set<string>();
  const named = ({ name, clusters = [], environments = [] }: WebhookInput | EmailInput, path: Problem['path']): Problem[] => {
    const twice = seen.has(name)
      ? [{ path: [...path, 'name'], message: `"${name}" is the name of another delivery; write one of its own` }]
      : [];
    seen.add(name);
    return [
      ...twice,
      ...clusters.flatMap((cluster, at) => unknown('cluster', cluster, known.clusters, [...path, 'clusters', at])),
      ...environments.flatMap((environment, at) => unknown('environment', environment, known.environments, [...path, 'environments', at])),
    ];
  };
  return [
    ...(given?.webhooks ?? []).flatMap((each, at) => [
      ...named(each, ['notifications', 'webhooks', at]),
      ...webhookProblems(each, ['notifications', 'webhooks', at]),
    ]),
    ...(given?.email ?? []).flatMap((each, at) => [
      ...named(each, ['notifications', 'email', at]),
      ...emailProblems(each, ['notifications', 'email', at]),
    ]),
  ];
}

function unknown(what: string, name: string, all: readonly string[], path: Problem['path']): Problem[] {
  if (all.includes(name)) return [];
  const close = nearest(name, all);
  return [{ path, message: `no ${what} "${name}" in this file${close === undefined ? '' : `; did you mean "${close}"?`}` }];
}

function webhookProblems(
  { url, urlFrom, urlFile, secretFrom, secretFile, allowPlainHttp }: WebhookInput,
  path: Problem['path'],
): Problem[] {
  const address = url === undefined ? undefined : URL.parse(url);
  return [
    ...oneOf(path, 'url', { url, urlFrom, urlFile }, 'an address such as https://hooks.example.com/belay'),
    ...oneOf(path, 'secretFile', { secretFrom, secretFile }, 'where the signing secret is'),
    ...(address === null ? [{ path: [...path, 'url'], message: 'is not a URL; write one such as https://hooks.example.com/belay' }] : []),
    ...(address != null && isPlain(address) && allowPlainHttp !== true
      ? [
          {
            path: [...path, 'url'],
            message: `${address.origin} is plain http, and events would be readable on the way; use https:// or set allowPlainHttp`,
          },
        ]
      : []),
  ];
}

function emailProblems({ host, tls, allowPlainText, user, passwordFrom, passwordFile }: EmailInput, path: Problem['path']): Problem[] {
  const password = passwordFrom ?? passwordFile;
  const isPlainOutside = tls === 'none' && !isLoopback(host);
  return [
    ...(user !== undefined ? oneOf(path, 'passwordFile', { passwordFrom, passwordFile }, 'where the password of user is') : []),
    ...(user === undefined && password !== undefined
      ? [{ path: [...path, 'user'], message: 'is missing; write whose password it is' }]
      : []),
    ...(isPlainOutside && user !== undefined
      ? [{ path: [...path, 'tls'], message: 'none would send the password in plain text; write starttls or implicit' }]
      : []),
    ...(isPlainOutside && user === undefined && allowPlainText !== true
      ? [{ path: [...path, 'tls'], message: `none sends mail to ${host} in plain text; write starttls or implicit, or set allowPlainText` }]
      : []),
  ];
}

function oneOf(path: Problem['path'], key: string, given: Record<string, unknown>, what: string): Problem[] {
  const there = Object.keys(given).filter((name) => given[name] !== undefined);
  const names = Object.keys(given);
  const all = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  if (there.length === 0) return [{ path: [...path, key], message: `is missing; write ${what} by ${all}` }];
  const [first, second] = there;
  return second === undefined ? [] : [{ path: [...path, second], message: `stands beside ${first}; write one of them` }];
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

/** What is sent there can be read on the way. */
export const isPlain = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && !isLoopback(hostname);

/** `usesSlack`: any channel is named; what mails are about by default depends on it. */
export function deliveriesFrom(given: NotificationsInput | undefined, usesSlack: boolean): ConfiguredDelivery[] {
  const mailed = usesSlack ? MAIL_EVENTS : MAIL_EVENTS_WITHOUT_SLACK;
  const of = ({ clusters, environments }: WebhookInput | EmailInput): Pick<ConfiguredDelivery, 'clusters' | 'environments'> => ({
    ...(clusters === undefined ? {} : { clusters }),
    ...(environments === undefined ? {} : { environments }),
  });
  return [
    ...(given?.webhooks ?? []).map((each): ConfiguredDelivery => {
      const { name, events = ALL_EVENTS, url, urlFrom, urlFile, secretFrom, secretFile, allowPlainHttp = false } = each;
      const access = { kind: 'webhook', name, events: inOrder(events), secret: place(secretFrom, secretFile), allowPlainHttp } as const;
      return { access: { ...access, url: url === undefined ? place(urlFrom, urlFile) : { url } }, ...of(each) };
    }),
    ...(given?.email ?? []).map((each): ConfiguredDelivery => {
      const { name, events = mailed, host, tls = each.port === 465 ? 'implicit' : 'starttls', user, from, to } = each;
      const { port = tls === 'implicit' ? 465 : 587 } = each;
      const access = { kind: 'email', name, events: inOrder(events), host, port, tls, from, to } as const;
      const signIn = user === undefined ? {} : { user, password: place(each.passwordFrom, each.passwordFile) };
      return { access: { ...access, ...signIn }, ...of(each) };
    }),
  ];
}

const place = (from: string | undefined, file: string | undefined): SecretPlace => ({
  ...(from === undefined ? {} : { from }),
  ...(file === undefined ? {} : { file }),
});

const inOrder = (events: readonly EventType[]): EventType[] => ALL_EVENTS.filter((type) => events.includes(type));
