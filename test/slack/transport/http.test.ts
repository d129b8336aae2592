/** HTTP mode: who can make Belay act, and how often. */
import { describe, expect, test } from 'vitest';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import { open, RUN_ID, WORKFLOW_ID } from '../fixtures.ts';
import { BODY, type Request, SECRET, send, signature, withHttp } from '../signed.ts';
import { eventually } from '../../support/eventually.ts';
import { CHANNEL, withApp } from '../support.ts';

describe('HTTP mode', () => {
  test('acts on a request that Slack signed', async () => {
    await withHttp(async (bench) => {
      expect(await send(bench, {})).toBe(200);
      await eventually(() => bench.asked.length === 1);
      expect(bench.asked[0]?.what).toBe('pause');
    });
  });

  test.each<[string, Request]>([
    ['S10: a forged signature', { secret: 'guess' }],
    ['a tampered body', { headers: { 'x-slack-signature': signature(SECRET, String(Math.floor(Date.now() / 1000)), 'other') } }],
    ['301 seconds old', { ageS: 301 }],
    ['dated ten years ahead', { ageS: -315_360_000 }],
    ['dated 90 seconds ahead', { ageS: -90 }],
    ['a timestamp that is no number', { headers: { 'x-slack-request-timestamp': 'soon' } }],
    ['S10: no signature', { headers: { 'x-slack-signature': '' } }],
  ])('refuses %s', async (_name, request) => {
    await withHttp(async (bench) => {
      expect(await send(bench, request)).toBe(401);
      await eventually(() => bench.asked.length > 0);
      expect(bench.asked).toEqual([
        {
          what: 'refused',
          request: {
            what: expect.stringMatching(/^1 request within .* whose signature or time is not Slack's, from .*127\.0\.0\.1 \(1\)$/),
          },
        },
      ]);
    });
  });

  test.each([
    ['slow', -600, /dated (599|600|601) s ahead of this machine's clock.+synchronise the clock/],
    ['fast', 600, /dated (599|600|601) s behind this machine's clock.+synchronise the clock/],
  ])("T16: this machine's clock is ten minutes %s: Slack's requests are refused, and the log names the clock", async (_how, ageS, says) => {
    await withHttp(async (bench) => {
      expect(await send(bench, { ageS })).toBe(401);
      expect(bench.logged.filter((line) => says.test(line))).toHaveLength(1);
    });
  });

  test('RS9: however many requests Slack did not sign, they are one event of a number and where they came from', async () => {
    await withHttp(async (bench) => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => send(bench, { secret: 'guess' })));
      expect(new Set(answers)).toEqual(new Set([401]));
      const counted = (): number[] =>
        bench.asked.map(({ request }) => Number(/^(\d+) requests? within/.exec((request as { what: string }).what)?.[1]));
      await eventually(() => counted().reduce((sum, each) => sum + each, 0) === 40);
      // As many as the intervals that forty requests took, and no more.
      expect(bench.asked.length).toBeLessThan(20);
    });
  });

  test('S12: a payload smuggled behind ssl_check does nothing', async () => {
    await withHttp(async (bench) => {
      await send(bench, { body: `${BODY}&ssl_check=1`, secret: 'guess' });
      expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual([]);
    });
  });

  test.each([
    ['an exact replay', ''],
    ['one with more behind the signature, which Bolt does not look at', '=again'],
  ])('S11: %s is acknowledged and acts no second time', async (_what, more) => {
    await withHttp(async (bench) => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature(SECRET, timestamp, BODY) };
      expect(await send(bench, { headers })).toBe(200);
      expect(await send(bench, { headers: { ...headers, 'x-slack-signature': `${headers['x-slack-signature']}${more}` } })).toBe(200);
      await eventually(() => bench.logged.includes('ignored a delivery that was received before'));
      expect(bench.asked.map(({ what }) => what)).toEqual(['pause', 'refused']);
      expect(bench.asked[1]?.request).toMatchObject({ actor: { id: 'U0SAM' }, what: expect.stringContaining('delivered before') });
    });
  });

  test('buttons work as in socket mode', async () => {
    await withHttp(async (bench) => {
      const message = gateBlocks({ state: open(), workflowId: WORKFLOW_ID, revision: 1, mention: { users: [], groups: [] }, run: RUN_ID });
      const { ts } = await bench.web.chat.postMessage({ channel: CHANNEL, ...message });
      expect(await bench.slack.click('U0SAM', ts ?? '', 'gate/approve')).toBe('acked');
      await eventually(() => bench.seenBy('U0SAM').includes('Approved by sam.'));
    });
  });
});

describe('a port that cannot be had', () => {
  const started = (port: number): Promise<void> =>
    withApp({ settings: { appToken: undefined, signingSecret: SECRET, port } }, async () => {});

  test.each([Number.NaN, -1, 65_536, 30.5])('%d is none', async (port) => {
    await expect(started(port)).rejects.toThrow('PORT is not a port number. Write one such as 3000.');
  });

  test('one that somebody else has is named', async () => {
    await withHttp(async ({ running: { port = 0 } }) => {
      await expect(started(port)).rejects.toThrow(`Cannot listen on port ${port}: it is in use. Set PORT to another one.`);
    });
  });
});
