/** The socket is connected again after a loss, and only then: whatever comes of that is no rejection that nobody hears (a test with one fails). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { socketReceiver } from '../../../slack/transport/receivers.ts';
import { eventually } from '../../support/eventually.ts';

interface Link {
  client: ReturnType<typeof socketReceiver>['client'];
  /** In the order of their connections. */
  sockets: WebSocket[];
  warned: string[];
}

/** `opened`: what apps.connections.open answers at its n-th call, where not an address. */
async function withLink(
  opened: (call: number) => object | undefined,
  run: (link: Link) => Promise<void>,
  answersPings = true,
): Promise<void> {
  const sockets: WebSocket[] = [];
  const warned: string[] = [];
  let calls = 0;
  const http = createServer((_request, response) => {
    calls += 1;
    const { port } = http.address() as AddressInfo;
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(opened(calls) ?? { ok: true, url: `ws://127.0.0.1:${port}/` }));
  });
  const server = new WebSocketServer({ server: http, autoPong: false });
  server.on('connection', (socket) => {
    sockets.push(socket);
    if (answersPings) socket.on('ping', (data: Buffer) => socket.pong(data));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const quiet = (): void => undefined;
  const { client } = socketReceiver({
    appToken: 'xapp-1-A0-1-0',
    apiUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/api/`,
    log: { info: quiet, warn: (message) => void warned.push(message), error: quiet },
  });
  try {
    const started = client.start();
    hello(await eventually(() => sockets[0]));
    await started;
    await run({ client, sockets, warned });
  } finally {
    await client.disconnect();
    sockets.forEach((socket) => socket.terminate());
    server.close();
    await new Promise((resolve) => void http.close(resolve));
  }
}

const hello = (socket: WebSocket): void => socket.send(JSON.stringify({ type: 'hello' }));

test('a stop while Slack has not welcomed the new connection yet is a stop', async () => {
  await withLink(
    () => undefined,
    async ({ client, sockets }) => {
      sockets[0]?.close(1012);
      await eventually(() => sockets[1]);
      await client.disconnect();
    },
  );
});

test('S21: a Slack that refuses the new connection is asked again', async () => {
  await withLink(
    (call) => (call === 2 ? { ok: false, error: 'invalid_auth' } : undefined),
    async ({ client, sockets, warned }) => {
      const connected = new Promise<void>((resolve) => void client.once('connected', resolve));
      sockets[0]?.close(1012);
      hello(await eventually(() => sockets[1]));
      await connected;
      expect(warned).toEqual([expect.stringMatching(/^connecting to Slack again: .*invalid_auth/)]);
    },
  );
});

test('S21: a pong that takes ten seconds costs no connection, one that never comes does', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  try {
    await withLink(
      () => undefined,
      async ({ sockets, warned }) => {
        vi.advanceTimersByTime(10_000);
        expect(warned).toEqual([]);
        sockets[0]?.pong();
        vi.advanceTimersByTime(60_000);
        expect(warned[0]).toMatch(/^A pong wasn't received from the server/);
        hello(await eventually('a new connection', () => sockets[1]));
      },
      false,
    );
  } finally {
    vi.useRealTimers();
  }
});

test('a connection that is lost before Slack has welcomed it is made again', async () => {
  await withLink(
    () => undefined,
    async ({ client, sockets, warned }) => {
      const connected = new Promise<void>((resolve) => void client.once('connected', resolve));
      sockets[0]?.close(1012);
      (await eventually(() => sockets[1])).close(1012);
      hello(await eventually(() => sockets[2]));
      await connected;
      expect(warned).toEqual([]);
    },
  );
});
