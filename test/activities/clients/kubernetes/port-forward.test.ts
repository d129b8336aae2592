/** An answer from inside of a pod, as it comes through the API server. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { getThroughPort } from '../../../../activities/clients/kubernetes/port-forward.ts';

/** What is asked for; the server answers with 100 bytes in messages of ten, and hangs up. */
async function asked(maxBytes: number): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) =>
    socket.once('message', () => {
      for (let at = 0; at < 10; at += 1) socket.send(Buffer.concat([Buffer.from([0]), Buffer.alloc(9, 'x')]));
      socket.close();
    }),
  );
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/portforward?ports=15014`;
    const { signal } = new AbortController();
    return (await getThroughPort({ url, options: { headers: {} }, path: '/debug/syncz', signal, maxBytes })).text;
  } finally {
    server.close();
  }
}

test('comes whole, and one beyond all measure is given up in the middle', async () => {
  // Its first two bytes are the port.
  expect(await asked(100)).toBe('x'.repeat(88));
  await expect(asked(99)).rejects.toThrow('the answer is longer than 99 bytes');
});
