/** @slack/web-api against the stand-in: posts, edits, history, limits and refusals as Slack gives them. */
import { describe, expect, test } from 'vitest';
import { WORKSPACE } from '../../../../rehearsal/neighbours/slack/workspace.ts';
import { CHANNEL, gateBlocks, newClient, refusal, WORLD_NOW, withSlack } from './support.ts';

const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
const plain = (text: string) => ({ type: 'plain_text' as const, text });

describe('messages', () => {
  test('a message is found again by its metadata, in a thread too', () =>
    withSlack(async ({ client }) => {
      const metadata = { event_type: 'belay_message', event_payload: { key: 'board' } };
      const board = await client.chat.postMessage({ channel: '#eks-upgrades', text: 'board', blocks: [section('*board*')], metadata });
      const reply = await client.chat.postMessage({
        channel: CHANNEL,
        text: 'gate',
        thread_ts: board.ts,
        metadata: { ...metadata, event_payload: { key: 'gate/1' } },
      });
      expect(board.ts).toMatch(/^\d{10}\.\d{6}$/);
      expect(Number(reply.ts)).toBeGreaterThan(Number(board.ts));

      const history = await client.conversations.history({ channel: CHANNEL, include_all_metadata: true });
      expect(history.messages?.map((message) => [message.ts, message.metadata, message.reply_count])).toEqual([[board.ts, metadata, 1]]);
      const replies = await client.conversations.replies({ channel: CHANNEL, ts: board.ts ?? '', include_all_metadata: true });
      expect(replies.messages?.map((message) => message.metadata?.event_payload)).toEqual([{ key: 'board' }, { key: 'gate/1' }]);
      const without = await client.conversations.history({ channel: CHANNEL });
      expect(without.messages?.[0]).not.toHaveProperty('metadata');
    }));

  test('an edit with text alone takes the blocks away; metadata stays', () =>
    withSlack(async ({ client, slack }) => {
      const { ts = '' } = await client.chat.postMessage({
        channel: CHANNEL,
        text: 'gate',
        blocks: gateBlocks(['approve']),
        metadata: { event_type: 'belay_message', event_payload: { key: 'gate' } },
      });
      await client.chat.update({ channel: CHANNEL, ts, text: 'decided', blocks: [section('decided')] });
      expect(slack.messages()[0]).toMatchObject({
        text: 'decided',
        blocks: [{ type: 'section' }],
        metadata: { event_payload: { key: 'gate' } },
      });
      await client.chat.update({ channel: CHANNEL, ts, text: 'plain' });
      expect(slack.messages()[0]).toMatchObject({ text: 'plain', blocks: [], edited: { user: 'U0BELAY' } });
    }));

  test('pages through the history, newest first', () =>
    withSlack(async ({ client }) => {
      for (const text of ['one', 'two', 'three']) await client.chat.postMessage({ channel: CHANNEL, text });
      const seen: (string | undefined)[] = [];
      for await (const page of client.paginate('conversations.history', { channel: CHANNEL, limit: 2 })) {
        const { messages } = page as { messages?: { text?: string }[] };
        seen.push(...(messages ?? []).map(({ text }) => text));
      }
      expect(seen).toEqual(['three', 'two', 'one']);
    }));

  test('ephemerals are in no history and only their reader has them', () =>
    withSlack(async ({ client, slack }) => {
      await client.chat.postEphemeral({ channel: CHANNEL, user: 'U0EVE', text: 'you may not decide' });
      expect((await client.conversations.history({ channel: CHANNEL })).messages).toEqual([]);
      expect(slack.messages()).toMatchObject([{ text: 'you may not decide', ephemeralTo: 'U0EVE' }]);
    }));

  test('U2: what the app reacted to is listed, direct messages too, until it takes the reaction back', () =>
    withSlack(async ({ client }) => {
      const { channel: opened } = await client.conversations.open({ users: 'U0SAM' });
      const channel = opened?.id ?? '';
      const { ts: timestamp = '' } = await client.chat.postMessage({ channel, text: 'a wish' });
      const listed = async (): Promise<unknown[]> =>
        ((await client.reactions.list({ user: 'U0BELAY' })).items ?? []).map((item) => [item.channel, item.message?.text]);
      expect(await listed()).toEqual([]);
      await client.reactions.add({ channel, timestamp, name: 'bell' });
      expect(await listed()).toEqual([[channel, 'a wish']]);
      await client.reactions.remove({ channel, timestamp, name: 'bell' });
      expect(await listed()).toEqual([]);
      await expect(client.reactions.remove({ channel, timestamp, name: 'bell' })).rejects.toThrow('no_reaction');
      await expect(client.conversations.open({ users: 'U0NOBODY' })).rejects.toThrow('user_not_found');
    }));

  test('changes stand in the journal in world time, and a listener is awaited before the answer', () =>
    withSlack(async ({ client, journal }) => {
      let postedWhenTold = 0;
      journal.onMutation(async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        postedWhenTold += 1;
      });
      await client.chat.postMessage({ channel: CHANNEL, text: 'board' });
      expect(postedWhenTold).toBe(1);
      await refusal(client.chat.update({ channel: CHANNEL, ts: '1.000000', text: 'x' }));
      expect(journal.mutations).toMatchObject([
        { api: 'slack', operation: 'chat.postMessage', resource: 'eks-upgrades', accepted: true, at: WORLD_NOW.toISOString() },
        { api: 'slack', operation: 'chat.update', resource: 'eks-upgrades/1.000000', accepted: false, error: 'message_not_found' },
      ]);
    }));
});

describe('refusals', () => {
  const cases: [name: string, call: (client: ReturnType<typeof newClient>) => Promise<unknown>, error: string, messages?: string[]][] = [
    ['an unknown channel', (c) => c.chat.postMessage({ channel: 'C0NOWHERE', text: 'x' }), 'channel_not_found'],
    ['a channel without the bot', (c) => c.chat.postMessage({ channel: 'C0GENERAL', text: 'x' }), 'not_in_channel'],
    ['a channel by name where Slack wants an id', (c) => c.conversations.history({ channel: '#eks-upgrades' }), 'channel_not_found'],
    ['nothing to say', (c) => c.apiCall('chat.postMessage', { channel: CHANNEL }), 'no_text'],
    ['a text of 40,001 characters', (c) => c.chat.postMessage({ channel: CHANNEL, text: 'x'.repeat(40_001) }), 'msg_too_long'],
    [
      'blocks of more than 13,200 characters together',
      (c) =>
        c.chat.postMessage({
          channel: CHANNEL,
          text: 'x',
          blocks: Array.from({ length: 5 }, () => ({ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(2_700) } })),
        }),
      'msg_blocks_too_long',
    ],
    [
      'an edit of 4,001 characters',
      async (c) =>
        c.chat.update({
          channel: CHANNEL,
          ts: (await c.chat.postMessage({ channel: CHANNEL, text: 'x' })).ts ?? '',
          text: 'x'.repeat(4001),
        }),
      'msg_too_long',
    ],
    ['an edit of a message that is not there', (c) => c.chat.update({ channel: CHANNEL, ts: '1.000000', text: 'x' }), 'message_not_found'],
    ['a thread that is not there', (c) => c.chat.postMessage({ channel: CHANNEL, text: 'x', thread_ts: '1.000000' }), 'thread_not_found'],
    [
      'metadata without a type',
      (c) => c.apiCall('chat.postMessage', { channel: CHANNEL, text: 'x', metadata: { event_payload: {} } }),
      'invalid_metadata_format',
    ],
    ['an unknown user', (c) => c.users.info({ user: 'U0NOBODY' }), 'user_not_found'],
    ['an unknown user group', (c) => c.usergroups.users.list({ usergroup: 'S0NOBODY' }), 'no_such_subteam'],
    [
      'a view without a trigger',
      (c) => c.views.open({ trigger_id: '1.2.3', view: { type: 'modal', title: plain('Reason'), blocks: [section('x')] } }),
      'invalid_trigger_id',
    ],
    ['an unknown method', (c) => c.apiCall('admin.everything'), 'unknown_method'],
  ];
  test.each(cases)('%s', (_name, call, error) => withSlack(async ({ client }) => expect((await refusal(call(client))).error).toBe(error)));

  test.each([
    ['51 blocks', Array.from({ length: 51 }, () => ({ type: 'divider' })), '[ERROR] no more than 50 items allowed [json-pointer:/blocks]'],
    [
      'a section of 3,001 characters',
      [section('x'.repeat(3001))],
      '[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
    ],
    ['an empty section', [section('')], '[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]'],
    [
      'a header in mrkdwn',
      [{ type: 'header', text: { type: 'mrkdwn', text: 'x' } }],
      '[ERROR] must be one of: plain_text [json-pointer:/blocks/0/text/type]',
    ],
    [
      'a header of 151 characters',
      [{ type: 'header', text: plain('x'.repeat(151)) }],
      '[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      '11 fields',
      [{ type: 'section', fields: Array.from({ length: 11 }, () => plain('x')) }],
      '[ERROR] no more than 10 items allowed [json-pointer:/blocks/0/fields]',
    ],
    [
      '11 things in a context',
      [{ type: 'context', elements: Array.from({ length: 11 }, () => plain('x')) }],
      '[ERROR] no more than 10 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [
      '26 buttons',
      [{ type: 'actions', elements: Array.from({ length: 26 }, (_, n) => ({ type: 'button', action_id: `b${n}`, text: plain('x') })) }],
      '[ERROR] no more than 25 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [
      'a button of 76 characters',
      [{ type: 'actions', elements: [{ type: 'button', text: plain('x'.repeat(76)) }] }],
      '[ERROR] must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
    ],
    [
      'a value of 2,001 characters',
      [{ type: 'actions', elements: [{ type: 'button', text: plain('x'), value: 'x'.repeat(2001) }] }],
      '[ERROR] must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]',
    ],
    [
      'an action id of 256 characters',
      [{ type: 'actions', elements: [{ type: 'button', text: plain('x'), action_id: 'x'.repeat(256) }] }],
      '[ERROR] must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]',
    ],
    [
      'two buttons with one id',
      [
        {
          type: 'actions',
          elements: [
            { type: 'button', action_id: 'a', text: plain('x') },
            { type: 'button', action_id: 'a', text: plain('y') },
          ],
        },
      ],
      '[ERROR] `action_id` must be unique within a block: a [json-pointer:/blocks/0/elements/1/action_id]',
    ],
    [
      'an unknown style',
      [{ type: 'actions', elements: [{ type: 'button', text: plain('x'), style: 'warning' }] }],
      '[ERROR] must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]',
    ],
    [
      'a confirmation of 301 characters',
      [
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              text: plain('x'),
              confirm: { title: plain('t'), text: plain('x'.repeat(301)), confirm: plain('y'), deny: plain('n') },
            },
          ],
        },
      ],
      '[ERROR] must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]',
    ],
    ['an unknown block', [{ type: 'carousel' }], '[ERROR] unsupported type: carousel [json-pointer:/blocks/0/type]'],
  ])('blocks: %s', (_name, blocks, message) =>
    withSlack(async ({ client }) => {
      const call = client.apiCall('chat.postMessage', { channel: CHANNEL, text: 'x', blocks });
      expect(await refusal(call)).toEqual({ error: 'invalid_blocks', messages: [message] });
    }),
  );

  test.each([
    ['no token of Slack', 'nonsense', 'invalid_auth'],
    ['an app token where a bot token belongs', WORKSPACE.appToken, 'not_allowed_token_type'],
  ])('%s', (_name, token, error) =>
    withSlack(async ({ slack }) => expect((await refusal(newClient(slack, token).auth.test())).error).toBe(error)),
  );

  test('a token that is not the workspace’s, where tokens are fixed', () =>
    withSlack(
      async ({ slack, client }) => {
        expect((await refusal(newClient(slack, 'xoxb-other').auth.test())).error).toBe('invalid_auth');
        expect((await client.auth.test()).user_id).toBe('U0BELAY');
      },
      { tokens: { bot: WORKSPACE.botToken, app: WORKSPACE.appToken } },
    ));

  test('a scope that was not granted', () =>
    withSlack(async ({ client }) => expect((await refusal(client.usergroups.list({}))).error).toBe('missing_scope'), {
      workspace: { ...WORKSPACE, scopes: ['chat:write'] },
    }));
});

describe('the workspace', () => {
  test('says who it is, its scopes, people, groups and channels', () =>
    withSlack(async ({ client }) => {
      const who = await client.auth.test();
      expect(who).toMatchObject({ user_id: 'U0BELAY', bot_id: 'B0BELAY', team_id: 'T0BELAY' });
      expect((await fetch(`${client.slackApiUrl}auth.test`)).headers.get('x-oauth-scopes')?.split(',')).toContain('chat:write');
      expect((await client.usergroups.users.list({ usergroup: 'S0PLATFORM' })).users).toEqual(['U0SAM', 'U0RIN']);
      expect((await client.usergroups.list({ include_users: true })).usergroups?.[0]).toMatchObject({
        id: 'S0PLATFORM',
        users: ['U0SAM', 'U0RIN'],
      });
      expect((await client.users.info({ user: 'U0ALEX' })).user?.real_name).toBe('Alex Kim');
      expect((await client.conversations.info({ channel: CHANNEL })).channel).toMatchObject({ name: 'eks-upgrades', is_member: true });
      expect((await client.conversations.list({})).channels?.map(({ id }) => id)).toEqual(['C0UPGRADES', 'C0GENERAL']);
      expect((await client.users.conversations({})).channels?.map(({ id }) => id)).toEqual(['C0UPGRADES']);
      expect((await client.bots.info({ bot: 'B0BELAY' })).bot?.user_id).toBe('U0BELAY');
    }));

  test('is down: 503, and back', () =>
    withSlack(async ({ client, slack }) => {
      slack.setDown(true);
      await expect(client.auth.test()).rejects.toThrow('503');
      expect(await slack.submitCommand('U0ALEX', '/eks-upgrade help')).toBe('down');
      slack.setDown(false);
      expect((await client.auth.test()).ok).toBe(true);
    }));

  test('a rate limit is answered once with Retry-After; the client repeats', () =>
    withSlack(async ({ client, slack }) => {
      slack.failNext('chat.postMessage', { status: 429, error: 'ratelimited', retryAfterSec: 0, times: 1 });
      await expect(client.chat.postMessage({ channel: CHANNEL, text: 'x' })).rejects.toThrow();
      expect((await client.chat.postMessage({ channel: CHANNEL, text: 'x' })).ok).toBe(true);
    }));
});
