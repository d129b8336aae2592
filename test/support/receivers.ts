/** Receivers beside Slack, on real wire protocols: a webhook that verifies what it gets, and a mail server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { createDeliverActivities } from '../../activities/run/people/deliver.ts';
import type { EventSink } from '../../activities/contract/ports.ts';
import { ALL_EVENTS, type DeliveryTerms, MAIL_EVENTS_WITHOUT_SLACK } from '../../domain/policy/deliveries.ts';
import type { EventJson } from '../../worker/notifications/event-schema.ts';
import { mailSink } from '../../worker/notifications/smtp.ts';
import { secretsIn } from '../../worker/notifications/standard-webhooks.ts';
import { webhookSink } from '../../worker/notifications/webhook.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface ReceivedEvent {
  id: string;
  type: string;
  data: EventJson;
}

/** Takes everything that is signed. */
export async function webhookReceiver(): Promise<{ url: string; received: ReceivedEvent[]; close: () => Promise<void> }> {
  const received: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(new Webhook(WEBHOOK_SECRET).verify(body, request.headers as Record<string, string>) as ReceivedEvent);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** `mails`: their plain text, with the subject first, lines joined as they were before they were folded for the wire. */
export async function mailReceiver(): Promise<{ port: number; mails: string[]; close: () => Promise<void> }> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData: (stream, _session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      stream.on('end', () => {
        mails.push(plainPart(text));
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** RFC 2045: the first part is the text; quoted-printable (6.7), base64 or as it is. */
function plainPart(mail: string): string {
  const [, part = ''] = mail.split(/\r\n--[^\r\n]+\r\n/);
  const [head = '', ...body] = part.split('\r\n\r\n');
  const encoding = /content-transfer-encoding: (\S+)/i.exec(head)?.[1]?.toLowerCase();
  return decoded(body.join('\r\n\r\n'), encoding).toString().replaceAll('\r\n', '\n');
}

function decoded(text: string, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(text, 'latin1');
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** For the policy of a run without Slack: all events by webhook, and by mail what mails have without Slack. */
export const TOLD_ELSEWHERE: DeliveryTerms[] = [
  { name: 'ops', kind: 'webhook', events: ALL_EVENTS },
  { name: 'team', kind: 'email', events: [...MAIL_EVENTS_WITHOUT_SLACK] },
];

/** Receivers of `TOLD_ELSEWHERE`, and the activity that reaches them by the worker's own sinks. */
export async function elsewhere() {
  const [hook, mail] = await Promise.all([webhookReceiver(), mailReceiver()]);
  const access = { kind: 'email', name: 'team', events: [], host: '127.0.0.1', port: mail.port, tls: 'none' } as const;
  const sinks: Record<string, EventSink> = {
    ops: webhookSink({ name: 'ops', url: new URL(hook.url), secrets: secretsIn(WEBHOOK_SECRET) }),
    team: mailSink({ access: { ...access, events: [], from: 'belay@example.com', to: ['team@example.com'] } }),
  };
  const { deliverEvents } = createDeliverActivities({ sinkOf: (name) => sinks[name] });
  return {
    deliverEvents,
    received: hook.received,
    keys: () => hook.received.map(({ data }) => data.key),
    subjects: () => mail.mails.map((text) => text.split('\n')[0] ?? ''),
    async close() {
      await Promise.all([hook.close(), mail.close()]);
    },
  };
}
