/** The doctor and receivers beside Slack: reached or not, and a test that is sent only when asked for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../worker/config/config.ts';
import { examineNotifications } from '../../../worker/doctor/notifications.ts';

const SECRET = Buffer.alloc(32, 1).toString('base64');
const config = (port: number) =>
  parseConfig(
    `clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\nnotifications:\n  webhooks:\n    - { name: ops, url: "http://127.0.0.1:${port}/x", secretFrom: SECRET }\n`,
    'belay.yaml',
  );

test('a webhook is reached without a request; a test is posted when asked for; what is missing is said', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ok = { area: 'Notifications', status: 'ok' };
  const seen = `ops: http://127.0.0.1:${port} answers; one secret signs`;
  try {
    expect(await examineNotifications(config(port), { SECRET })).toEqual([{ ...ok, message: seen }]);
    expect(requests).toBe(0);
    expect(await examineNotifications(config(port), { SECRET }, { sendTest: true })).toEqual([
      { ...ok, message: `${seen}; a test was taken` },
    ]);
    expect(requests).toBe(1);
    expect(await examineNotifications(config(port), {})).toMatchObject([
      { status: 'failed', message: 'ops: secretFrom names SECRET, which is not set in this environment' },
    ]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  expect(await examineNotifications(config(port), { SECRET })).toMatchObject([{ status: 'failed' }]);
});
