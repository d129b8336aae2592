/** Delivery: one message per key, whatever dies, gets lost or answers late. */
import { describe, expect, test } from 'vitest';
import type { WebClient } from '@slack/web-api';
import { healthPng } from '../../../render/charts/health-chart.ts';
import { timelinePng } from '../../../render/charts/timeline.ts';
import type { Notification, PublishInput } from '../../../domain/run/notifications.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { type SlackStandIn, startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { createGroupReader, createNotifier, createSlackWeb, type Notifier } from '../../../slack/delivery/notifier.ts';
import { decided, gate, open, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { CHANNEL } from '../support.ts';

const NOW = new Date('2026-03-03T12:10:00Z');

async function withNotifier(
  run: (bench: { slack: SlackStandIn; notifier: Notifier; another: () => Notifier }) => Promise<void>,
): Promise<void> {
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW });
  // A fresh one has no memory, as after a worker's restart.
  const another = (): Notifier =>
    createNotifier({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }), nowMs: () => NOW.getTime() });
  try {
    await run({ slack, notifier: another(), another });
  } finally {
    await slack.close();
  }
}

function input(key: string, notification: Notification, change: Partial<PublishInput> = {}): PublishInput {
  return { upgrade: UPGRADE, channel: '#eks-upgrades', key, notification, ...change };
}

const board = (headline = 'Moving'): PublishInput => input('board', { kind: 'board', status: status({ headline }) });
const note = (n: number): PublishInput => input(`note/x/${n}`, { kind: 'note', level: 'info', text: `Line ${n}` });
const gateOf = (state: ReturnType<typeof open>, reminder = false, remindedAt = '2026-03-03T12:05:00Z'): PublishInput =>
  input(`gate/${gate().id}`, {
    kind: 'gate',
    state,
    workflowId: WORKFLOW_ID,
    revision: 1,
    mention: { users: ['U0SAM'], groups: [] },
    reminder,
    ...(reminder ? { remindedAt } : {}),
  });

describe('notifier', () => {
  test('the board is the root, edited in place; everything else is a reply with its key as metadata', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      const first = await notifier.publish(board());
      const second = await notifier.publish(board('Nearly there'));
      const reply = await notifier.publish(note(1));
      expect(second).toEqual(first);
      expect(first.channel).toBe('C0UPGRADES');
      expect(slack.messages().map(({ text, thread_ts }) => [text, thread_ts])).toEqual([
        ['staging 1.31 → 1.32: Running – Nearly there', first.ts],
        ['ℹ Line 1', first.ts],
      ]);
      expect(slack.messages()[1]?.metadata).toEqual({
        event_type: 'belay',
        event_payload: { key: 'note/x/1', upgrade: WORKFLOW_ID, run: UPGRADE.runId },
      });
      expect(reply.ts).toBe(slack.messages()[1]?.ts);
    });
  });

  test('what is asked of others stands in the metadata too', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      await notifier.publish(board());
      const ask = { component: 'control-plane', name: 'staging', version: '1.32', managedBy: 'terraform' } as const;
      await notifier.publish(input('note/x/1', { kind: 'note', level: 'info', text: 'Please apply', ask, broadcast: true }));
      const [, message] = slack.messages();
      expect(message?.subtype).toBe('thread_broadcast');
      expect(message?.metadata?.event_payload).toMatchObject({
        ask_component: 'control-plane',
        ask_name: 'staging',
        ask_version: '1.32',
        ask_managed_by: 'terraform',
      });
    });
  });

  test('a report has the picture of its run in the thread, once; without the right to send files it stands alone', async () => {
    const report: Notification = {
      kind: 'report',
      report: { status: status({ endedAt: '2026-03-03T13:00:00Z' }), outcome: 'completed', decisions: [decided()], leftBehind: [] },
    };
    await withNotifier(async ({ slack }) => {
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      const notifier = createNotifier({ web, picture: timelinePng });
      const { ts } = await notifier.publish(board());
      await notifier.publish(input('report', report));
      await notifier.publish(input('report', report));
      const files = slack.messages().flatMap((message) => (message.thread_ts === ts ? (message.files ?? []) : []));
      expect(files.map(({ name }) => name)).toEqual(['staging-1.32-00000001.png']);
      const bytes = Buffer.from(await (await fetch(String(files[0]?.['url_private_download']))).arrayBuffer());
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
      const broken = createNotifier({ web, picture: () => Promise.reject(new Error('no fonts')) });
      await expect(broken.publish(input('report', report))).resolves.toMatchObject({ ts: expect.any(String) });
    });
  });

  test('health checks at a gate are drawn in the thread, once per gate; a picture that cannot be holds up nothing', async () => {
    const at = (round: number): PublishInput => {
      const points: [number, number][] = [
        [0, 0.3],
        [30, 6.1],
      ];
      const curves = [{ check: 'api-server-latency', startedAt: '2026-03-03T12:00:00Z', points }];
      return input(`health/${round}`, { kind: 'curves', gate: `health:control-plane@1.32#${round}`, curves });
    };
    await withNotifier(async ({ slack }) => {
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      const notifier = createNotifier({ web, chart: healthPng });
      const { ts } = await notifier.publish(board());
      for (const round of [1, 1, 2]) await notifier.publish(at(round));
      const files = (): unknown[] => slack.messages().flatMap((message) => (message.thread_ts === ts ? (message.files ?? []) : []));
      expect(files()).toMatchObject([
        { name: 'health-control-plane-1.32-1.png', title: 'api-server-latency over time' },
        { name: 'health-control-plane-1.32-2.png' },
      ]);
      for (const broken of [createNotifier({ web, chart: () => Promise.reject(new Error('no fonts')) }), createNotifier({ web })])
        await expect(broken.publish(at(3))).resolves.toMatchObject({ ts });
      slack.failNext('files.getUploadURLExternal', { error: 'missing_scope', times: 1 });
      await expect(notifier.publish(at(3))).resolves.toMatchObject({ ts });
      expect(files()).toHaveLength(2);
    });
  });

  test('a reply waits for the board', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      await expect(notifier.publish(note(1))).rejects.toMatchObject({ code: 'board_not_posted', retryable: true });
      expect(slack.messages()).toEqual([]);
    });
  });

  test('another worker finds the board and the gate that the first one posted', async () => {
    await withNotifier(async ({ slack, notifier, another }) => {
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      await another().publish(board('After a restart'));
      await another().publish(gateOf(decided()));
      expect(slack.messages().map(({ text }) => text.slice(0, 44))).toEqual([
        'staging 1.31 → 1.32: Running – After a resta',
        '✅ Move the control plane to 1.32?: *Approve*',
      ]);
    });
  });

  test('what others write with the metadata of a board or a gate is passed over: a thread is not led away by it', async () => {
    await withNotifier(async ({ slack, notifier, another }) => {
      const forged = (key: string, thread?: string): string => {
        const metadata = { event_type: 'belay', event_payload: { key, upgrade: WORKFLOW_ID, run: UPGRADE.runId } };
        return slack.say('U0EVE', 'All is well, go home', thread, metadata).ts;
      };
      const first = await notifier.publish(board());
      // Newer than the real one, and, in the thread, there before the gate.
      forged('board');
      forged(`gate/${gate().id}`, first.ts);
      expect(await another().publish(board('Nearly there'))).toEqual(first);
      const asked = await another().publish(gateOf(open()));
      expect(await another().publish(gateOf(decided()))).toEqual(asked);
      expect(await another().publish(note(1))).toMatchObject({ channel: 'C0UPGRADES' });
      const own = slack.messages().filter(({ user }) => user === WORKSPACE.app.botUserId);
      expect(own.map(({ ts, thread_ts }) => thread_ts ?? ts)).toEqual([first.ts, first.ts, first.ts]);
    });
  });

  test('a run of its own has a board of its own', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      await notifier.publish(board());
      await notifier.publish({ ...board(), upgrade: { ...UPGRADE, runId: 'another' } });
      expect(slack.messages()).toHaveLength(2);
    });
  });

  test('S19: a message whose answer was lost is not posted again', async () => {
    await withNotifier(async ({ slack, another }) => {
      // Each with a client of its own: the first got its message through, but never heard so.
      await another().publish(board());
      await another().publish(board());
      await another().publish(note(1));
      await another().publish(note(1));
      expect(slack.messages()).toHaveLength(2);
    });
  });

  test('the same key at the same time is posted once', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      await Promise.all([notifier.publish(board()), notifier.publish(board()), notifier.publish(note(1)), notifier.publish(note(1))]);
      expect(slack.messages()).toHaveLength(2);
    });
  });

  test('S16: a message that somebody deleted is posted anew', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      await notifier.publish(board());
      const known = await notifier.publish(gateOf(open()));
      await web.chat.delete({ channel: known.channel, ts: known.ts });
      const next = await notifier.publish({ ...gateOf(decided()), known });
      expect(next.ts).not.toBe(known.ts);
      expect(slack.messages().map(({ text }) => text.slice(0, 6))).toEqual(['stagin', '✅ Move']);
    });
  });

  test('S16: what another worker has posted in the place of a lost message is edited, and none is posted beside it', async () => {
    await withNotifier(async ({ slack, notifier, another }) => {
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      await notifier.publish(board());
      const lost = await notifier.publish(gateOf(open()));
      await web.chat.delete({ channel: lost.channel, ts: lost.ts });
      const anew = await another().publish(gateOf(open()));
      expect(await notifier.publish({ ...gateOf(decided()), known: lost })).toEqual(anew);
      expect(slack.messages().map(({ text }) => text.slice(0, 6))).toEqual(['stagin', '✅ Move']);
    });
  });

  test('RD5: while Slack does not find what was just posted, a message is posted again once a minute at most, and then edited', async () => {
    await withNotifier(async ({ slack }) => {
      let nowMs = NOW.getTime();
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      const notifier = createNotifier({ web, nowMs: () => nowMs });
      await notifier.publish(board());
      let known = await notifier.publish(gateOf(open()));
      slack.failNext('chat.update', { error: 'message_not_found', times: 100 });
      const tries: string[] = [];
      for (let second = 1; second <= 15; second += 1) {
        nowMs += 1_000;
        try {
          known = await notifier.publish({ ...gateOf(open()), known });
          tries.push('posted');
        } catch (error) {
          tries.push((error as { retryable?: boolean }).retryable === true ? 'later' : 'lost');
        }
      }
      expect(tries).toEqual(['posted', ...Array.from({ length: 14 }, () => 'later')]);
      nowMs += 60_000;
      await notifier.publish({ ...gateOf(open()), known });
      // The board, the gate, and one in its place for each of the two minutes.
      expect(slack.messages()).toHaveLength(4);
    });
  });

  test('S16: a board that somebody deleted is posted anew, and replies follow it', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      const lost = await notifier.publish(board());
      await web.chat.delete({ channel: lost.channel, ts: lost.ts });
      await expect(notifier.publish(note(1))).rejects.toMatchObject({ retryable: true });
      const found = await notifier.publish({ ...board(), known: lost });
      await notifier.publish(note(1));
      expect(slack.messages().map(({ thread_ts }) => thread_ts)).toEqual([found.ts, found.ts]);
    });
  });

  test('a reminder is a message of its own that pings, once; the gate keeps its buttons; both end with the decision', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      await notifier.publish(gateOf(open(), true));
      await notifier.publish(gateOf(open(), true));
      const [, asked, reminder, ...more] = slack.messages();
      expect(more).toEqual([]);
      expect(asked?.blocks.map(({ type }) => type)).toContain('actions');
      expect(JSON.stringify(reminder?.blocks)).toContain('<@U0SAM>');
      await notifier.publish(gateOf(decided()));
      expect(
        slack
          .messages()
          .filter(({ blocks }) => blocks.some(({ type }) => type === 'actions'))
          .map(({ text }) => text.slice(0, 7)),
      ).toEqual(['staging']);
      expect(slack.messages()[2]?.text).toContain('*Approve* by <@U0SAM>');
    });
  });

  test('in quiet hours a message names people by an edit alone, which notifies nobody; an edit that fails is made up for', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      const named = (): string[] => slack.messages().map(({ text, blocks }) => `${text} ${JSON.stringify(blocks)}`);
      const asks = { kind: 'note', level: 'alarm', text: 'Drift', mention: { kind: 'slack', id: 'U0SAM', name: 'sam' } } as const;
      for (const [index, message] of [
        board(),
        input('note/x/1', asks),
        input('pause', { ...asks, broadcast: true }),
        { ...gateOf(open()), quiet: true } as const,
      ].entries()) {
        slack.failNext('chat.update', { error: 'internal_error', times: 1 });
        await expect(notifier.publish({ ...message, quiet: true })).rejects.toMatchObject({ code: 'internal_error' });
        expect(named()[index]).not.toMatch(/<@|<!subteam/);
        const ref = await notifier.publish({ ...message, quiet: true });
        expect(slack.messages()).toHaveLength(index + 1);
        expect(named()[index]).toContain(index === 0 ? '<@U0ALEX>' : '<@U0SAM>');
        expect(ref.ts).toBe(slack.messages()[index]?.ts);
      }
      // By day, and where nobody is named, one call is enough.
      slack.failNext('chat.update', { error: 'internal_error', times: 1 });
      await notifier.publish(input('note/x/2', asks));
      await notifier.publish({ ...note(3), quiet: true });
    });
  });

  test('where nobody posts a deleted board again, what has to be said is in the channel itself after ten minutes, once', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      let nowMs = NOW.getTime();
      const fresh = (): Notifier => createNotifier({ web, chart: healthPng, nowMs: () => nowMs });
      const { channel, ts } = await notifier.publish(board());
      await web.chat.delete({ channel, ts });
      const [first, second] = [fresh(), fresh()];
      const curves = input('health/1', { kind: 'curves', gate: gate().id, curves: [] });
      for (const early of [first, second])
        for (const message of [gateOf(open()), curves])
          await expect(early.publish(message)).rejects.toMatchObject({ code: 'board_not_posted', retryable: true });
      nowMs += 10 * 60_000;
      const asked = await first.publish(gateOf(open()));
      // The answer was lost: by whichever worker, and by its key.
      for (const again of [first, second]) expect(await again.publish(gateOf(open()))).toEqual(asked);
      await expect(first.publish(curves)).rejects.toMatchObject({ code: 'board_gone', retryable: false });
      await first.publish({ ...gateOf(decided()), known: asked });
      expect(slack.messages().map(({ text, thread_ts }) => [text.slice(0, 6), thread_ts])).toEqual([['✅ Move', undefined]]);
      // A board that is there in the end has its thread again.
      const anew = await first.publish(board());
      await first.publish(note(1));
      expect(slack.messages().at(-1)?.thread_ts).toBe(anew.ts);
    });
  });

  test('each reminder of a gate pings, however close they are to each other; the last one at its escalation, too', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      // Half and three quarters of a day.
      for (const at of ['2026-03-04T00:00:00Z', '2026-03-04T06:00:00Z']) await notifier.publish(gateOf(open(), true, at));
      const reminders = slack.messages().slice(2);
      expect(reminders.map(({ blocks }) => JSON.stringify(blocks).includes('<@U0SAM>'))).toEqual([true, true]);
      await notifier.publish(gateOf(decided()));
      for (const { text } of slack.messages().slice(2)) expect(text).toContain('*Approve* by <@U0SAM>');
    });
  });

  test('a reminder that another worker has posted ends with the decision, too; none is looked for below a board that is gone', async () => {
    await withNotifier(async ({ slack, notifier, another }) => {
      const { channel, ts } = await notifier.publish(board());
      const known = await notifier.publish(gateOf(open()));
      await notifier.publish(gateOf(open(), true));
      const other = another();
      expect(await other.publish({ ...gateOf(decided()), known })).toEqual(known);
      expect(slack.messages().map(({ text }) => text.slice(0, 44))).toEqual([
        'staging 1.31 → 1.32: Running – Moving',
        '✅ Move the control plane to 1.32?: *Approve*',
        '✅ Move the control plane to 1.32?: *Approve*',
      ]);
      expect(slack.messages()[2]?.blocks).toEqual([]);
      await createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }).chat.delete({ channel, ts });
      expect(await another().publish({ ...gateOf(decided()), known })).toEqual(known);
    });
  });

  test('after quiet hours people are pinged by a message of its own, whether or not they were reminded without a mention before', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      const reminder = gateOf(open(), true);
      if (reminder.notification.kind !== 'gate') throw new Error('a gate is expected');
      const whispered = { ...reminder, notification: { ...reminder.notification, mention: { users: [], groups: [] } } };
      const late = { ...reminder, notification: { ...reminder.notification, afterQuiet: '2026-03-04T06:00:00Z' } };
      await notifier.publish(board());
      for (const message of [gateOf(open()), whispered, late, late]) await notifier.publish(message);
      const [, , silent, ping, ...more] = slack.messages();
      expect(more).toEqual([]);
      expect(JSON.stringify(silent?.blocks)).not.toContain('<@U0SAM>');
      expect(JSON.stringify(ping?.blocks)).toContain('<@U0SAM>');
      await notifier.publish(gateOf(decided()));
      expect(slack.messages()[3]?.text).toContain('*Approve* by <@U0SAM>');
    });
  });

  test('S18: a rate limit says how long to wait; other failures keep Slack’s code and say whether trying again helps', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      slack.failNext('chat.postMessage', { status: 429, retryAfterSec: 7, times: 1 });
      await expect(notifier.publish(board())).rejects.toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 7_000 });
      slack.failNext('chat.postMessage', { error: 'is_archived', times: 1 });
      await expect(notifier.publish(board())).rejects.toMatchObject({
        code: 'is_archived',
        retryable: false,
        message: 'publishing board in C0UPGRADES: Slack answered is_archived. The channel is archived; name another one in belay.yaml.',
      });
      slack.failNext('chat.postMessage', { status: 503, times: 1 });
      await expect(notifier.publish(board())).rejects.toMatchObject({ code: 'http_503', retryable: true });
      await notifier.publish(board());
      expect(slack.messages()).toHaveLength(1);
    });
  });

  test('a message that Slack takes without saying where it is was not delivered', async () => {
    const web = {
      auth: { test: () => Promise.resolve({ user_id: WORKSPACE.app.botUserId }) },
      conversations: { history: () => Promise.resolve({ ok: true, messages: [] }) },
      chat: { postMessage: () => Promise.resolve({ ok: true }) },
    } as unknown as WebClient;
    await expect(createNotifier({ web }).publish({ ...board(), channel: CHANNEL })).rejects.toMatchObject({
      code: 'no_ts',
      retryable: true,
      message: 'Slack accepted the message without naming it',
    });
  });

  test('nothing is attached while Slack does not say whose files are its own', async () => {
    const attached: unknown[] = [];
    const web = {
      auth: { test: () => Promise.resolve({ ok: true }) },
      conversations: { replies: () => Promise.resolve({ ok: true, messages: [] }) },
      files: { uploadV2: (file: unknown) => Promise.resolve(attached.push(file)) },
    } as unknown as WebClient;
    const file = { thread: { channel: CHANNEL, ts: '1.0' }, fileName: 'a.html', title: 'A', content: '<p>' };
    await expect(createNotifier({ web }).attach(file)).rejects.toMatchObject({
      code: 'no_user',
      retryable: true,
      message: 'Slack does not say whose token SLACK_BOT_TOKEN is',
    });
    expect(attached).toEqual([]);
  });

  test('a layout that Slack refuses is sent as text', async () => {
    await withNotifier(async ({ slack, notifier }) => {
      slack.failNext('chat.postMessage', { error: 'invalid_blocks', times: 1 });
      await notifier.publish(board());
      expect(slack.messages()[0]?.text).toContain('use "belay status"');
    });
  });

  test('S17: names the channel that it does not find', async () => {
    await withNotifier(async ({ notifier }) => {
      await expect(notifier.publish({ ...board(), channel: 'nowhere' })).rejects.toMatchObject({
        code: 'channel_not_found',
        message:
          'looking for channel #nowhere: the app is in no channel of that name. Invite it there (/invite @Belay), or correct the name in belay.yaml.',
      });
    });
  });
});

test('a channel by its name is found in a workspace with more channels than Slack lists in a minute', async () => {
  const others = Array.from({ length: 6_000 }, (_, n) => ({ id: `C1${n}`, name: `team-${n}`, topic: '', botIsMember: false }));
  const workspace = { ...WORKSPACE, channels: [...others, ...WORKSPACE.channels] };
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, workspace });
  // docs.slack.dev/apis/web-api/rate-limits: Tier 2
  let lists = 0;
  slack.setFates({
    meet: ({ operation }) =>
      operation === 'conversations.list' && (lists += 1) > 20
        ? { kind: 'refuse', status: 429, code: 'ratelimited', message: '' }
        : undefined,
  });
  try {
    const notifier = createNotifier({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }) });
    expect((await notifier.publish({ ...board(), channel: '#eks-upgrades' })).channel).toBe(CHANNEL);
  } finally {
    await slack.close();
  }
});

describe('group reader', () => {
  test('reads who is in a group now, and fails where it cannot', async () => {
    await withNotifier(async ({ slack }) => {
      const reader = createGroupReader({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }) });
      expect(await reader.members('S0PLATFORM')).toEqual(['U0SAM', 'U0RIN']);
      await expect(reader.members('S0NOBODY')).rejects.toThrow('reading user group S0NOBODY: Slack answered no_such_subteam.');
      slack.setDown(true);
      await expect(reader.members('S0PLATFORM')).rejects.toMatchObject({ code: 'http_503' });
    });
  });

  test('S9: an empty group is a failure, not nobody', async () => {
    const workspace = { ...WORKSPACE, groups: [{ id: 'S0EMPTY', handle: 'empty', name: 'Empty', users: [] }] };
    const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, workspace });
    try {
      const reader = createGroupReader({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }) });
      await expect(reader.members('S0EMPTY')).rejects.toMatchObject({ code: 'empty_group', retryable: false });
    } finally {
      await slack.close();
    }
  });
});
