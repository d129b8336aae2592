/** Signed CloudEvents against a real server: what it says, loses and refuses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CloudEvent as Official, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDeliverActivities } from '../../../activities/run/people/deliver.ts';
import { signedHeaders, secretsIn } from '../../../worker/notifications/standard-webhooks.ts';
import { webhookSink } from '../../../worker/notifications/webhook.ts';
import { OPENED, STARTED, UPGRADE } from './events.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OLD = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

interface Posted {
  headers: Record<string, string>;
  body: string;
}

let posted: Posted[];
let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
let url: URL;
let close: () => Promise<void>;
beforeEach(async () => {
  posted = [];
  answers = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      posted.push({ headers: request.headers as Record<string, string>, body });
      const answer = answers.shift();
      if (answer === undefined) response.writeHead(204).end();
      else answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hidden`);
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => close());

const says =
  (status: number, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, headers).end('an answer that nobody reads');

const sink = (change: Partial<Parameters<typeof webhookSink>[0]> = {}) =>
  webhookSink({ name: 'ops', url, secrets: secretsIn(SECRET), ...change });

/** As Temporal calls it; gives what is warned of. */
function deliverer(change: Partial<Parameters<typeof webhookSink>[0]> = {}, nowMs: () => number = Date.now) {
  const warned: string[] = [];
  const warn = (_fields: unknown, message: string): void => void warned.push(message);
  const { deliverEvents } = createDeliverActivities({ sinkOf: () => sink(change), warn, nowMs });
  const deliver = (events = [STARTED, OPENED]) => deliverEvents({ delivery: { name: 'ops', kind: 'webhook' }, upgrade: UPGRADE, events });
  return { warned, deliver };
}

test('CloudEvents and Standard Webhooks read what is sent', async () => {
  await deliverer().deliver([OPENED]);
  const [{ headers, body }] = posted as [Posted];
  expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
  const event = HTTP.toEvent<Record<string, unknown>>({ headers, body }) as Official<Record<string, unknown>>;
  expect(event.validate()).toBe(true);
  expect({ ...event.toJSON(), data: undefined }).toEqual({
    specversion: '1.0',
    id: headers['webhook-id'],
    type: 'dev.belay.gate.opened',
    source: '/eks-upgrade/111122223333/eu-west-1/prod',
    subject: 'before:control-plane@1.34#1',
    time: '2026-11-02T09:05:00.000Z',
    datacontenttype: 'application/json',
    dataschema: 'https://belay.dev/schemas/event-data/1.json',
    data: undefined,
  });
  expect(event.data).toEqual({
    key: OPENED.key,
    summary: 'prod: decision needed: Move the control plane to 1.34?',
    ...OPENED.data,
  });
  expect(headers['webhook-id']).toMatch(/^evt_[0-9a-f]{40}$/);
});

test('while one secret replaces the other, both receivers verify', async () => {
  await sink({ secrets: secretsIn(`${SECRET}\n${OLD}\n`) }).send(STARTED, UPGRADE);
  const [{ headers, body }] = posted as [Posted];
  for (const secret of [SECRET, OLD]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  expect(() => new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`).verify(body, headers)).toThrow();
});

test('the signature is that of the specification', () => {
  // The example of the reference implementation (standard-webhooks/libraries/javascript, "sign function works").
  expect(
    signedHeaders(secretsIn('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampS: 1_614_265_330,
      body: '{"test": 2432232314}',
    }),
  ).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test.each([
  ['500', says(500), 'Unavailable', undefined],
  ['408', says(408), 'Throttled', undefined],
  ['429 with Retry-After', says(429, { 'retry-after': '7' }), 'Throttled', 7_000],
  ['503 with Retry-After beyond bounds', says(503, { 'retry-after': '864000' }), 'Throttled', 600_000],
  ['a lost answer', (request: IncomingMessage) => void request.socket.destroy(), 'Unavailable', undefined],
] as const)('%s: tried again with the same id and body, and nothing more', async (_what, answer, type, waitMs) => {
  const { deliver } = deliverer();
  answers = [answer];
  const failure: unknown = await deliver([STARTED]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ type, nonRetryable: false, ...(waitMs === undefined ? {} : { nextRetryDelay: waitMs }) });
  expect(await deliver([STARTED])).toEqual([{ key: STARTED.key, outcome: 'sent' }]);
  const [first, second] = posted as [Posted, Posted];
  expect(posted).toHaveLength(2);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body).toBe(first.body);
});

test('a receiver that does not answer is given up in time', async () => {
  answers = [() => undefined];
  await expect(deliverer({ limitMs: 50 }).deliver([STARTED])).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
});

test('a receiver that is not there is tried again, and its address is shown without what may be a token', async () => {
  await close();
  close = async () => undefined;
  const { deliver, warned } = deliverer();
  await expect(deliver()).rejects.toMatchObject({ type: 'Unavailable' });
  expect(warned).toHaveLength(1);
  expect(warned[0]).toContain(`posting dev.belay.upgrade.started to ops at ${url.origin}`);
  expect(warned[0]).not.toContain('hidden');
});

test('what was taken is answered for where the next one fails: it is not sent again', async () => {
  answers = [says(200), says(500), says(200)];
  const { deliver } = deliverer();
  expect(await deliver()).toEqual([{ key: STARTED.key, outcome: 'sent' }]);
  expect(await deliver([OPENED])).toEqual([{ key: OPENED.key, outcome: 'sent' }]);
  expect(posted.map(({ body }) => (JSON.parse(body) as { data: { key: string } }).data.key)).toEqual([STARTED.key, OPENED.key, OPENED.key]);
});

test.each([
  [400, 'ops was not told: ORIGIN answered 400, which no retry mends; it is not tried again'],
  [410, 'ops was not told: ORIGIN answered 410, which no retry mends; it is not tried again'],
  [
    307,
    'ops was not told: ORIGIN redirects (307), and redirects are not followed; write the address that answers itself; it is not tried again',
  ],
])('%i is final, is said once, and holds nothing up', async (status, words) => {
  const elsewhere = { location: 'http://169.254.169.254/latest/meta-data' };
  answers = [says(status, elsewhere), says(status, elsewhere)];
  const { deliver, warned } = deliverer();
  expect(await deliver()).toEqual([
    { key: STARTED.key, outcome: 'refused' },
    { key: OPENED.key, outcome: 'refused' },
  ]);
  expect(warned).toEqual([words.replace('ORIGIN', url.origin)]);
  expect(posted).toHaveLength(2);
});

test.each([401, 403, 404])('%i for a moment costs no event; for an hour, the event is dropped, and the log says so', async (status) => {
  let nowMs = Date.parse(STARTED.at);
  const { deliver, warned } = deliverer({}, () => nowMs);
  const away = says(status);
  answers = [away];
  await expect(deliver([STARTED])).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  nowMs += 59 * 60_000;
  expect(await deliver([STARTED])).toEqual([{ key: STARTED.key, outcome: 'sent' }]);
  // What is old has an hour from the first answer, too, and what is new has its own.
  nowMs += 60 * 60_000;
  answers = [away, away, away];
  await expect(deliver([OPENED])).rejects.toMatchObject({ type: 'Unavailable' });
  nowMs += 60 * 60_000;
  expect(await deliver([OPENED])).toEqual([{ key: OPENED.key, outcome: 'refused' }]);
  await expect(deliver([{ ...OPENED, at: new Date(nowMs).toISOString() }])).rejects.toMatchObject({ type: 'Unavailable' });
  expect(warned.slice(1, 3)).toEqual([
    `ops was not told: telling ops of ${OPENED.key}: ${url.origin} answered ${status}; it is tried again`,
    `ops was not told: ${url.origin} answered ${status}, and still did after an hour of retries; it is not tried again`,
  ]);
});

test('a delivery that belay.yaml has no more ends without a call', async () => {
  const { deliverEvents } = createDeliverActivities({ sinkOf: () => undefined });
  expect(await deliverEvents({ delivery: { name: 'gone', kind: 'webhook' }, upgrade: UPGRADE, events: [STARTED] })).toEqual([
    { key: STARTED.key, outcome: 'refused' },
  ]);
});

test('a gate whose evidence makes its event too large is told without it', async () => {
  const evidence = [{ title: 'Pods', verdict: '1 blocked', lines: Array.from({ length: 40 }, () => '\u0001'.repeat(400)) }];
  const gate = { ...OPENED.data.gate, evidence } as NonNullable<typeof OPENED.data.gate>;
  expect(await sink().send({ ...OPENED, data: { ...OPENED.data, gate } }, UPGRADE)).toEqual({ outcome: 'sent' });
  const { data } = JSON.parse(posted[0]?.body ?? '') as { data: { gate: unknown } };
  const lines = ['Too large for this event: see it where the gate is decided.'];
  expect(data.gate).toEqual({ ...gate, evidence: [{ title: 'Pods', verdict: '1 blocked', lines }] });
});

test('an event that is too large is refused unsent', async () => {
  const large = { ...STARTED, data: { ...STARTED.data, note: { text: 'x'.repeat(70_000) } } };
  expect(await sink().send(large, UPGRADE)).toEqual({ outcome: 'refused', why: 'dev.belay.upgrade.started is larger than 64 KiB' });
  expect(posted).toEqual([]);
});

test.each([
  ['', 'it is empty; write a secret of 24 random bytes in base64 after whsec_'],
  ['whsec_***', 'secret 1 is not base64; make one with: openssl rand -base64 32'],
  ['whsec_c2hvcnQ=', 'secret 1 has 5 bytes; it needs 24 to 64: openssl rand -base64 32'],
  [`${SECRET} ${OLD} ${OLD} ${OLD} ${OLD}`, 'it has 5 secrets; write at most 4, one on each line'],
])('secret %j is refused unshown', (text, words) => {
  expect(() => secretsIn(text)).toThrow(new Error(words));
});
