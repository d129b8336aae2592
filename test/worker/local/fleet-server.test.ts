/** The served page: who is let in, what is shown, how often it is read. */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { fleetView, type FleetView } from '../../../domain/run/fleet-view/view.ts';
import { type FleetServerOptions, READ_EVERY_MS, startFleetServer } from '../../../worker/local/fleet-server.ts';
import { OPEN, withCampaigns } from '../../domain/run/fleet-view/campaign.ts';
import { FLEET } from '../../domain/run/fleet-view/fixtures.ts';

const VIEW = fleetView(FLEET, 60);

async function served(change: Partial<FleetServerOptions>, run: (port: number, log: string[]) => Promise<void>): Promise<void> {
  const log: string[] = [];
  const server = await startFleetServer({ host: '127.0.0.1', port: 0, read: async () => VIEW, log: (line) => log.push(line), ...change });
  try {
    await run(server.port, log);
  } finally {
    await server.close();
  }
}

interface Answer {
  status?: number;
  headers: Record<string, unknown>;
  text: string;
}

/** With headers that fetch would not let be set. */
function ask(
  port: number,
  { path = '/', method = 'GET', headers = {} }: { path?: string; method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
      response.once('end', () =>
        resolve({ ...(response.statusCode === undefined ? {} : { status: response.statusCode }), headers: response.headers, text }),
      );
    });
    sent.once('error', reject).end();
  });
}

test('the page and its data, kept by nobody on the way and in no frame', async () => {
  await served({}, async (port) => {
    const page = await ask(port);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<title>Fleet</title>');
    expect(page.text).toContain('setTimeout(() => location.reload(), 60000);');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    const data = await ask(port, { path: '/fleet.json' });
    expect(JSON.parse(data.text)).toEqual(VIEW);
  });
});

test('the page and its data have open campaigns, and name the one that did not answer', async () => {
  const quiet = { kind: 'unread', name: 'quiet', why: 'no worker answers' } as const;
  await served({ read: async () => fleetView(withCampaigns(OPEN, quiet), 60) }, async (port) => {
    const { text } = await ask(port);
    expect(text).toContain('<h2>Campaign to-1-34 ');
    expect(text).toContain('Campaign quiet could not be read: no worker answers');
    const data: unknown = JSON.parse((await ask(port, { path: '/fleet.json' })).text);
    expect(data).toMatchObject({ campaigns: [{ name: 'to-1-34', state: 'running' }], unreadCampaigns: [{ name: 'quiet' }] });
  });
});

describe('the door', () => {
  test.each<[string, Partial<FleetServerOptions>, Record<string, string>, string]>([
    ['a name that leads here from elsewhere', {}, { host: 'evil.example' }, 'it was asked by a name that is not this machine’s own'],
    ['a page of elsewhere', {}, { origin: 'https://evil.example' }, 'pages of elsewhere may not ask'],
    ['a page without an origin of its own', {}, { origin: 'null' }, 'pages of elsewhere may not ask'],
    ['no token', { token: 's3cret' }, {}, 'the token is missing or another one'],
    ['another token', { token: 's3cret' }, { authorization: 'Bearer s3cres' }, 'the token is missing or another one'],
    ['half a token', { token: 's3cret' }, { authorization: 'Bearer s3c' }, 'the token is missing or another one'],
  ])('%s is refused, and logged', async (_title, change, headers, why) => {
    await served(change, async (port, log) => {
      for (const path of ['/', '/fleet.json']) {
        const answer = await ask(port, { path, headers });
        expect([answer.status, answer.text]).toEqual([403, `${why}\n`]);
      }
      expect(log[0]).toBe(`refused GET / from 127.0.0.1: ${why}`);
    });
  });

  test('with the token any name leads here: the proxy’s, for one', async () => {
    await served({ token: 's3cret' }, async (port) => {
      const answer = await ask(port, { headers: { host: 'fleet.example.com', authorization: 'Bearer s3cret' } });
      expect(answer.status).toBe(200);
    });
  });

  test('nothing listens for others without a token', async () => {
    await expect(served({ host: '0.0.0.0' }, async () => undefined)).rejects.toThrow(
      'Others could read the whole fleet through 0.0.0.0. Listen on 127.0.0.1, or set BELAY_FLEET_TOKEN to what they have to send.',
    );
  });

  test('it is for reading: nothing else is taken', async () => {
    await served({}, async (port) => {
      for (const asked of [{ method: 'POST' }, { method: 'DELETE', path: '/fleet.json' }, { path: '/belay.yaml' }])
        expect((await ask(port, asked)).status).toBe(404);
    });
  });
});

describe('reading', () => {
  test('once for all who ask at a time and for a minute after, then anew', async () => {
    let nowMs = 0;
    let reads = 0;
    const read = async (): Promise<FleetView> => fleetView(FLEET, ++reads);
    await served({ read, nowMs: () => nowMs }, async (port) => {
      const within = async (): Promise<unknown> => JSON.parse((await ask(port, { path: '/fleet.json' })).text).withinDays;
      expect(await Promise.all([within(), within(), within()])).toEqual([1, 1, 1]);
      nowMs = READ_EVERY_MS - 1;
      expect(await within()).toBe(1);
      nowMs = READ_EVERY_MS;
      expect(await within()).toBe(2);
    });
  });

  test('a failure is said, not kept, and shows nothing old as if it were new', async () => {
    let fails = true;
    const read = async (): Promise<FleetView> => {
      if (fails) throw new Error('belay.yaml is gone');
      return VIEW;
    };
    await served({ read }, async (port, log) => {
      const failed = await ask(port);
      expect([failed.status, failed.text, failed.headers['refresh']]).toEqual([
        503,
        'The fleet could not be read: belay.yaml is gone\n',
        '60',
      ]);
      expect(log).toEqual(['the fleet could not be read: belay.yaml is gone']);
      fails = false;
      expect((await ask(port)).status).toBe(200);
    });
  });
});
