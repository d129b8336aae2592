/** Mails by a real mail server: what it takes, refuses, loses; TLS, and what cannot be injected. */
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createDeliverActivities } from '../../../activities/run/people/deliver.ts';
import { runWithin } from '../../../activities/runtime/context.ts';
import type { MailAccess } from '../../../domain/policy/deliveries.ts';
import type { RunEvent } from '../../../domain/run/events/event.ts';
import { mailSink, signIn } from '../../../worker/notifications/smtp.ts';
import { OPENED, STARTED, UPGRADE } from './events.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let pem: { private: string; cert: string };
beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  pem = { private: key, cert };
});

interface Server_ {
  port: number;
  mails: string[];
  recipients: string[][];
}

async function mailServer(options: SMTPServerOptions = {}): Promise<Server_> {
  const [mails, recipients]: [string[], string[][]] = [[], []];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData: (stream, session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        mails.push(text);
        recipients.push(session.envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails, recipients };
}

const access = (port: number, change: Partial<MailAccess> = {}): MailAccess => ({
  kind: 'email',
  name: 'stakeholders',
  events: [],
  host: 'localhost',
  port,
  tls: 'none',
  from: 'Belay <belay@example.com>',
  to: ['team@example.com', 'lead@example.com'],
  ...change,
});

const send = (event: RunEvent, of: MailAccess, change: { ca?: string; password?: string; limitMs?: number } = {}) =>
  mailSink({ access: of, ...change }).send(event, UPGRADE);

/** Headers of a mail, unfolded. */
function headersOf(mail: string): Record<string, string> {
  const head = (mail.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ');
  return Object.fromEntries(
    head.split('\r\n').map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

test('a run is one thread, to all recipients, with text and HTML', async () => {
  const server = await mailServer();
  for (const event of [STARTED, OPENED]) expect(await send(event, access(server.port))).toEqual({ outcome: 'sent' });
  const [first, second] = server.mails.map(headersOf) as [Record<string, string>, Record<string, string>];
  expect(server.recipients).toEqual([
    ['team@example.com', 'lead@example.com'],
    ['team@example.com', 'lead@example.com'],
  ]);
  expect(first).toMatchObject({
    from: 'Belay <belay@example.com>',
    to: 'team@example.com, lead@example.com',
    'auto-submitted': 'auto-generated',
  });
  expect(first['message-id']).toMatch(/^<evt_[0-9a-f]{40}@example\.com>$/);
  expect(second['subject']).toBe('prod: decision needed: Move the control plane to 1.34?');
  expect(second).toMatchObject({ 'in-reply-to': first['message-id'], references: first['message-id'] });
  expect(server.mails[1]).toContain('multipart/alternative');
  expect(server.mails[1]).toContain("belay decide prod 'before:control-plane@1.34#1'");
});

test('the same event is the same Message-ID, whoever sends it', async () => {
  const server = await mailServer();
  for (let time = 0; time < 2; time += 1) await send(STARTED, access(server.port));
  const ids = server.mails.map((mail) => headersOf(mail)['message-id']);
  expect(ids[0]).toBe(ids[1]);
});

test('what a run says begins no header, no line and no tag', async () => {
  const server = await mailServer();
  const title = 'Go?\r\nBcc: all@example.com\r\n\r\n<script>alert(1)</script>\u0000';
  const gate = { ...OPENED.data.gate, title, next: 'one\r\n.\r\nMAIL FROM:<x@example.com>' } as NonNullable<RunEvent['data']['gate']>;
  await send({ ...OPENED, data: { ...OPENED.data, gate } }, access(server.port));
  const [mail = ''] = server.mails;
  expect(server.mails).toHaveLength(1);
  expect(headersOf(mail)['bcc']).toBeUndefined();
  expect(headersOf(mail)['subject']).toBe('prod: decision needed: Go? Bcc: all@example.com <script>alert(1)</script>');
  expect(mail).toContain('&lt;script&gt;');
  expect(mail.split('text/html')[1]).not.toContain('<script>');
});

test('starttls: a server that does not offer it gets nothing, neither mail nor password', async () => {
  const asked: string[] = [];
  const server = await mailServer({
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, done) => {
      asked.push(String(username));
      done(null, { user: username });
    },
  });
  await expect(send(STARTED, access(server.port, { tls: 'starttls', user: 'belay' }), { password: 'secret' })).rejects.toMatchObject({
    type: 'Unavailable',
    nonRetryable: false,
  });
  expect({ asked, mails: server.mails }).toEqual({ asked: [], mails: [] });
});

test('starttls: an untrusted certificate is refused, a trusted one is not; then the user signs in', async () => {
  const seen: string[] = [];
  const server = await mailServer({
    key: pem.private,
    cert: pem.cert,
    onAuth: ({ username, password }, session, done) => {
      seen.push(`${String(username)}:${String(password)}:${String(session.secure)}`);
      done(null, { user: username });
    },
  });
  const of = access(server.port, { tls: 'starttls', user: 'belay' });
  await expect(send(STARTED, of, { password: 'secret' })).rejects.toMatchObject({ type: 'Unavailable' });
  expect(seen).toEqual([]);
  expect(await send(STARTED, of, { password: 'secret', ca: pem.cert })).toEqual({ outcome: 'sent' });
  expect(seen).toEqual(['belay:secret:true']);
});

test('a wrong password is tried again, and not shown', async () => {
  const server = await mailServer({
    key: pem.private,
    cert: pem.cert,
    onAuth: (_auth, _session, done) => done(Object.assign(new Error('wrong password'), { responseCode: 535 })),
  });
  const of = { access: access(server.port, { tls: 'starttls', user: 'belay' }), password: 'hunter2-hunter2', ca: pem.cert };
  const failure: unknown = await mailSink(of)
    .send(STARTED, UPGRADE)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'Unavailable', nonRetryable: false });
  expect(JSON.stringify(failure) + (failure as Error).message).not.toContain('hunter2');
  await expect(signIn(of)).rejects.toThrow('535');
});

const answering = (responseCode: number) => (_address: unknown, _session: unknown, done: (error: Error) => void) =>
  done(Object.assign(new Error('no'), { responseCode }));

test('a recipient that is refused for good ends it; greylisting is tried again; of two, the other has the mail', async () => {
  const never = await mailServer({ onRcptTo: answering(550) });
  expect(await send(STARTED, access(never.port))).toMatchObject({ outcome: 'refused' });
  const later = await mailServer({ onRcptTo: answering(450) });
  await expect(send(STARTED, access(later.port))).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  const one = await mailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('lead') ? Object.assign(new Error('no'), { responseCode: 550 }) : undefined),
  });
  expect(await send(STARTED, access(one.port))).toEqual({
    outcome: 'refused',
    why: 'localhost refused lead@example.com (Recipient command failed: 550 no); 1 of 2 recipients has the mail',
  });
  expect(one.mails).toHaveLength(1);
});

test('whoever a server puts off gets the mail at a later attempt, and nobody else gets it again; a full mailbox is not asked for ever', async () => {
  const putOff = new Set(['lead@example.com', 'late@example.com']);
  const server = await mailServer({
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = address.startsWith('gone') ? 550 : putOff.has(address) ? 451 : undefined;
      done(responseCode === undefined ? undefined : Object.assign(new Error('no'), { responseCode }));
    },
  });
  const of = access(server.port, { to: ['team', 'lead', 'gone', 'late'].map((name) => `${name}@example.com`) });
  let nowMs = Date.parse(STARTED.at);
  const activities = createDeliverActivities({ sinkOf: () => mailSink({ access: of }), nowMs: () => nowMs });
  // As Temporal does: what was reported last is there for the next attempt.
  let lastBeat: unknown = { settled: { 'upgrade/before': { 'team@example.com': '' } } };
  const attempt = (event = STARTED) =>
    runWithin({ lastBeat, beat: (details) => void (lastBeat = details) }, () =>
      activities.deliverEvents({ delivery: { name: 'stakeholders', kind: 'email' }, upgrade: UPGRADE, events: [event] }),
    );
  const later = { type: 'Unavailable', nonRetryable: false, message: expect.stringContaining('1 of 4 recipients has the mail') };
  await expect(attempt()).rejects.toMatchObject(later);
  await expect(attempt()).rejects.toMatchObject(later);
  expect(lastBeat).toMatchObject({ settled: { 'upgrade/before': { 'team@example.com': '' }, [STARTED.key]: { 'team@example.com': '' } } });
  putOff.delete('lead@example.com');
  await expect(attempt()).rejects.toMatchObject({ type: 'Unavailable' });
  expect(server.recipients).toEqual([['team@example.com'], ['lead@example.com']]);
  nowMs += 2 * 60 * 60_000;
  expect(await attempt()).toEqual([{ key: STARTED.key, outcome: 'refused' }]);
  // Another event is another mail, to all of them.
  putOff.clear();
  expect(await attempt(OPENED)).toEqual([{ key: OPENED.key, outcome: 'refused' }]);
  expect(server.recipients[2]).toEqual(['team@example.com', 'lead@example.com', 'late@example.com']);
  expect(server.recipients).toHaveLength(3);
});

test.each([
  ['takes back what it was given', 451, 'thrown'],
  ['refuses the text', 554, 'refused'],
] as const)('a server that %s has said so', async (_what, responseCode, outcome) => {
  const server = await mailServer({
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(Object.assign(new Error('no'), { responseCode })));
    },
  });
  const sent = send(STARTED, access(server.port));
  if (outcome === 'thrown') await expect(sent).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  else expect(await sent).toMatchObject({ outcome });
});

/** Speaks as far as `until`, and then does as told. */
async function rawServer(until: 'greeting' | 'data', then: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    if (until === 'greeting') return then(socket);
    let isText = false;
    socket.write('220 raw\r\n');
    socket.on('data', (chunk: Buffer) => {
      const said = chunk.toString();
      if (isText) return said.endsWith('\r\n.\r\n') ? then(socket) : undefined;
      isText = said.startsWith('DATA');
      socket.write(isText ? '354 go on\r\n' : '250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

test('a connection that ends after the text, without a word, is unknown: the mail may have arrived and is not sent again', async () => {
  const port = await rawServer('data', (socket) => socket.destroy());
  expect(await send(STARTED, access(port))).toMatchObject({ outcome: 'unknown' });
});

test('so is a server that takes the text and then says nothing', async () => {
  const port = await rawServer('data', () => undefined);
  expect(await send(STARTED, access(port), { limitMs: 300 })).toMatchObject({ outcome: 'unknown' });
});

test('a server that never greets, or is not there, has taken nothing: it is tried again', async () => {
  const silent = await rawServer('greeting', () => undefined);
  await expect(send(STARTED, access(silent), { limitMs: 100 })).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  const gone = await rawServer('greeting', () => undefined);
  for (const close of closing.splice(0)) await close();
  await expect(send(STARTED, access(gone))).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
});
