/** The channel's page is served, hears what happens, and does what people do on it. */
import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { type Bench, CHANNEL, gateBlocks, startBolt, withSlack } from './support.ts';

interface PageEvent {
  name: string;
  data: Record<string, unknown>;
}

/** Follows the page's events as one user. */
async function follow(bench: Bench, user: string): Promise<PageEvent[]> {
  const stop = new AbortController();
  const response = await fetch(`${bench.slack.pageUrl}page/events?user=${user}`, { signal: stop.signal });
  const events: PageEvent[] = [];
  const read = async (): Promise<void> => {
    let buffer = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (buffer + chunk).split('\n\n');
      buffer = parts.pop() ?? '';
      for (const part of parts) {
        const [, name = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
        events.push({ name, data: JSON.parse(data) as Record<string, unknown> });
      }
    }
  };
  const reading = read().catch(() => undefined);
  bench.after.push(async () => {
    stop.abort();
    await reading;
  });
  await eventually(() => events.some(({ name }) => name === 'hello'));
  return events;
}

function act(bench: Bench, path: string, body: object): Promise<unknown> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return fetch(`${bench.slack.pageUrl}page/${path}`, request).then((response) => response.json());
}

test('the page and everything it names load', () =>
  withSlack(async ({ slack }) => {
    const html = await (await fetch(slack.pageUrl)).text();
    expect(html).toContain('id="composer"');
    const named = [...html.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path = '']) => path);
    const modules = new Set(named);
    for (const path of modules) {
      const response = await fetch(new URL(path, slack.pageUrl));
      expect([path, response.status]).toEqual([path, 200]);
      const source = await response.text();
      for (const [, name = ''] of source.matchAll(/from '\.\/([a-z-]+\.js)'/g)) modules.add(`/page/${name}`);
    }
    expect(modules.size).toBeGreaterThan(5);
  }));

test('a permalink shows the page', () =>
  withSlack(async ({ slack, client }) => {
    const { ts = '' } = await client.chat.postMessage({ channel: CHANNEL, text: 'board' });
    const { permalink = '' } = await client.chat.getPermalink({ channel: CHANNEL, message_ts: ts });
    expect(permalink.startsWith(slack.pageUrl)).toBe(true);
    expect(await (await fetch(permalink)).text()).toContain('id="messages"');
  }));

test('a person sees the story, new messages, and of the ephemeral ones their own', () =>
  withSlack(
    async (bench) => {
      bench.journal.tell('the world begins');
      const events = await follow(bench, 'U0SAM');
      expect(events[0]?.data).toMatchObject({
        user: 'U0SAM',
        world: [{ text: 'the world begins' }],
        status: { appConnected: false, temporalUi: 'http://127.0.0.1:8233' },
      });
      await bench.client.chat.postEphemeral({ channel: CHANNEL, user: 'U0EVE', text: 'for Eve' });
      await bench.client.chat.postEphemeral({ channel: CHANNEL, user: 'U0SAM', text: 'for Sam' });
      const board = await bench.client.chat.postMessage({ channel: CHANNEL, text: 'board' });
      await bench.client.chat.update({ channel: CHANNEL, ts: board.ts ?? '', text: 'board, edited' });
      bench.journal.tell('a node joins');
      await eventually(() => events.some(({ name }) => name === 'world'));
      const told = events
        .filter(({ name }) => name === 'message')
        .map(({ data }) => [data['kind'], (data['message'] as { text: string }).text]);
      expect(told).toEqual([
        ['posted', 'for Sam'],
        ['posted', 'board'],
        ['edited', 'board, edited'],
      ]);
      expect(events.find(({ name }) => name === 'world')?.data).toMatchObject([{ text: 'a node joins' }]);
    },
    { temporalUi: () => 'http://127.0.0.1:8233' },
  ));

test('U2: a direct message is on the page of its person alone, also where they open it later', () =>
  withSlack(async (bench) => {
    const { client } = bench;
    const [sam, eve] = [await follow(bench, 'U0SAM'), await follow(bench, 'U0EVE')];
    const { channel } = await client.conversations.open({ users: 'U0SAM' });
    expect((await client.conversations.open({ users: 'U0SAM' })).channel?.id).toBe(channel?.id);
    await client.chat.postMessage({ channel: channel?.id ?? '', text: 'for Sam' });
    await client.chat.postMessage({ channel: CHANNEL, text: 'for all' });
    const textsOf = (events: PageEvent[]): unknown[] =>
      events.filter(({ name }) => name === 'message').map(({ data }) => (data['message'] as { text: string }).text);
    await eventually(() => textsOf(eve).length > 0 && textsOf(sam).length > 1);
    expect([textsOf(sam), textsOf(eve)]).toEqual([['for Sam', 'for all'], ['for all']]);
    const later = (user: string): Promise<unknown> => follow(bench, user).then(([hello]) => hello?.data['messages']);
    expect(await later('U0SAM')).toMatchObject([{ text: 'for Sam' }, { text: 'for all' }]);
    expect(await later('U0EVE')).toMatchObject([{ text: 'for all' }]);
  }));

test('commands, presses and forms go through the page', () =>
  withSlack(async (bench) => {
    const heard: string[] = [];
    await startBolt(bench, (app) => {
      app.command('/eks-upgrade', async ({ command, ack }) => {
        heard.push(`${command.user_id} ${command.text}`);
        await ack();
      });
      app.action(/^gate\//, async ({ body, ack, client }) => {
        await ack();
        if (body.type !== 'block_actions') return;
        const plain = (text: string) => ({ type: 'plain_text' as const, text });
        const input = {
          type: 'input' as const,
          block_id: 'reason',
          label: plain('Reason'),
          element: { type: 'plain_text_input' as const, action_id: 'text' },
        };
        await client.views.open({
          trigger_id: body.trigger_id,
          view: { type: 'modal', callback_id: 'r', title: plain('Why?'), submit: plain('Go'), blocks: [input] },
        });
      });
      app.view('r', async ({ ack, view }) => {
        await ack();
        heard.push(view.state.values['reason']?.['text']?.value ?? '');
      });
    });
    const events = await follow(bench, 'U0SAM');
    expect(await act(bench, 'command', { user: 'U0ALEX', text: '/eks-upgrade start staging 1.32' })).toEqual({ outcome: 'acked' });
    const { ts } = await bench.client.chat.postMessage({ channel: CHANNEL, text: 'gate', blocks: gateBlocks(['reject']) });
    expect(await act(bench, 'click', { user: 'U0SAM', messageTs: ts, actionId: 'gate/reject' })).toEqual({ outcome: 'acked' });
    const view = await eventually(() => bench.slack.openViews('U0SAM')[0]);
    await eventually(() => events.some(({ name }) => name === 'views'));
    expect(await act(bench, 'view/submit', { user: 'U0SAM', viewId: view.id, values: { reason: 'too early' } })).toEqual({
      outcome: 'acked',
      closed: true,
    });
    expect(heard).toEqual(['U0ALEX start staging 1.32', 'too early']);
  }));
