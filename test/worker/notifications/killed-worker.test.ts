/**
 * A worker that is killed between the sending of an event and the remembering of it: a webhook gets it again under the same id, and a mail is sent once.
 * Takes as long as an attempt may, since only that tells Temporal that its worker is gone.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import type { DeliverInput } from '../../../domain/run/events/event.ts';
import { eventually, PATIENCE } from '../../support/eventually.ts';
import { startDevServer } from '../../support/temporal-server.ts';
import { startBelayWorker } from '../support/belay-worker.ts';
import { eventId } from '../../../worker/notifications/cloud-event.ts';
import { OPENED, STARTED, UPGRADE } from './events.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Of an attempt 90 s, then its retry. */
const LIMIT_MS = 240_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Answers all but the last event of the first worker, which is let through and never answered. */
async function webhookReceiver() {
  const posted: { id: string; key: string; body: string }[] = [];
  const seen = new Map<string, string>();
  let isSilent = true;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { 'webhook-id': id } = request.headers;
      const { data } = new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as { data: { key: string } };
      posted.push({ id: String(id), key: data.key, body });
      // As the documentation asks of receivers.
      if (!seen.has(String(id))) seen.set(String(id), data.key);
      if (!isSilent || data.key === STARTED.key) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { posted, seen, url: `http://127.0.0.1:${port}/hook`, answers: () => void (isSilent = false) };
}

/** Takes each mail, and does not say so to the first worker. */
async function mailServer() {
  const ids: string[] = [];
  let isSilent = true;
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData: (stream, _session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        ids.push(/^Message-ID: <([^@]+)@/im.exec(text)?.[1] ?? '');
        if (!isSilent) done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  closing.push(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  const { port } = server.server.address() as AddressInfo;
  return { ids, port, answers: () => void (isSilent = false) };
}

test(
  'a webhook hears at least once, under one id, and a mail is sent at most once',
  async () => {
    const [hook, mail, server] = await Promise.all([webhookReceiver(), mailServer(), startDevServer()]);
    closing.push(() => server.stop());
    const yaml = `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
notifications:
  webhooks:
    - { name: ops, url: "${hook.url}", secretFrom: OPS_SECRET }
  email:
    - { name: stakeholders, host: 127.0.0.1, port: ${mail.port}, tls: none, from: belay@example.com, to: [team@example.com] }
`;
    const start = () => {
      const worker = startBelayWorker(server.address, (directory) => {
        writeFileSync(join(directory, 'belay.yaml'), yaml);
        return { OPS_SECRET: SECRET };
      });
      closing.push(() => worker.end());
      return worker;
    };
    const connection = await Connection.connect({ address: server.address });
    closing.push(() => connection.close());
    const client = new Client({ connection });
    const to = (name: string, kind: DeliverInput['delivery']['kind']): DeliverInput => ({
      delivery: { name, kind },
      upgrade: UPGRADE,
      events: [STARTED, OPENED],
    });
    const first = start();
    const handle = await client.workflow.start('tellLater', {
      taskQueue: 'belay',
      workflowId: 'killed-worker',
      args: [{ upgrade: UPGRADE, channel: '', messages: [], events: [to('ops', 'webhook'), to('stakeholders', 'email')] }],
    });
    await eventually('both have what they do not answer', () => hook.posted.length === 2 && mail.ids.length === 1, 60_000 * PATIENCE);
    await first.end();

    hook.answers();
    mail.answers();
    start();
    await handle.result();

    expect(hook.posted.map(({ key }) => key)).toEqual([STARTED.key, OPENED.key, STARTED.key, OPENED.key]);
    const [started, opened, ...again] = hook.posted;
    expect(again).toEqual([started, opened]);
    // One that drops repeats by the id has each once.
    expect([...hook.seen.values()]).toEqual([STARTED.key, OPENED.key]);
    // What the killed worker had sent is not sent again, and the next mail is.
    expect(mail.ids).toEqual([STARTED, OPENED].map(({ key }) => eventId(UPGRADE, key)));
  },
  LIMIT_MS * PATIENCE,
);
