/** A channel with thousands of messages: what is older than a run is not read, as Slack allows some fifty calls a minute. */
import { afterEach, expect, test, vi } from 'vitest';
import type { ConversationsHistoryArguments, WebClient } from '@slack/web-api';
import type { CheckView, Notification, PublishInput } from '../../../domain/run/notifications.ts';
import { createNotifier } from '../../../slack/delivery/notifier.ts';
import { gateUrl, threadUrl } from '../../../slack/interaction/message-links.ts';
import type { SlackDeps } from '../../../slack/interaction/deps.ts';
import { startedText } from '../../../slack/requests/plan-or-start.ts';
import { CLUSTER, plan, RING, status, UPGRADE } from '../fixtures.ts';
import { CHANNEL } from '../support.ts';

const STARTED_AT = '2026-03-03T12:00:00Z';
const STARTED_SEC = Date.parse(STARTED_AT) / 1000;
/** Clocks differ by two minutes at most. */
const OLDEST = `${STARTED_SEC - 120}.000000`;
const MESSAGE_COUNT = 10_000;
const PAGE_SIZE = 200;

interface Message {
  ts: string;
  text: string;
  metadata?: unknown;
  bot_id?: string;
}

/** A message a minute, the last one three minutes before the run; Belay's own behind them. */
function busyChannel() {
  const messages: Message[] = Array.from({ length: MESSAGE_COUNT }, (_, n) => ({
    ts: `${STARTED_SEC - 180 - n * 60}.000100`,
    text: 'lunch?',
  }));
  const asked: (string | undefined)[] = [];
  const web = {
    auth: { test: async () => ({ user_id: 'U0BELAY', bot_id: 'B0BELAY' }) },
    conversations: {
      history: async ({ oldest, cursor }: ConversationsHistoryArguments) => {
        asked.push(oldest);
        const found = messages.filter(({ ts }) => Number(ts) > Number(oldest ?? 0));
        const from = Number(cursor ?? 0);
        const next = from + PAGE_SIZE < found.length ? String(from + PAGE_SIZE) : '';
        return { messages: found.slice(from, from + PAGE_SIZE), has_more: next !== '', response_metadata: { next_cursor: next } };
      },
    },
    chat: {
      postMessage: async ({ text, metadata }: Pick<Message, 'text' | 'metadata'>) => {
        const ts = `${STARTED_SEC + 5}.000100`;
        messages.unshift({ ts, text, metadata, bot_id: 'B0BELAY' });
        return { ts, channel: CHANNEL };
      },
      getPermalink: async ({ message_ts: ts }: { message_ts: string }) => ({ permalink: `https://acme.slack.com/${ts}` }),
    },
  } as unknown as WebClient;
  const deps = {
    web,
    channels: { idOf: async () => CHANNEL },
    clusters: { channelOf: () => CHANNEL },
    log: { warn: (message: string) => expect.fail(message) },
    stopping: new AbortController().signal,
  } as unknown as SlackDeps;
  return { web, deps, asked, messages };
}

afterEach(() => vi.useRealTimers());

const CHECK: CheckView = {
  cluster: CLUSTER,
  target: '1.34',
  requestedBy: { kind: 'slack', id: 'U0SAM' },
  startedAt: STARTED_AT,
  progress: { kind: 'running' },
};
test.each<[string, string, Notification]>([
  ['of an upgrade', 'board', { kind: 'board', status: status({ startedAt: STARTED_AT }) }],
  ['of a readiness check', 'board', { kind: 'check', check: CHECK }],
  ['of a forecast', 'board', { kind: 'forecast', forecast: CHECK as Extract<Notification, { kind: 'forecast' }>['forecast'] }],
  ['of a ring', 'ring/dev', { kind: 'ring', ring: { ...RING, startedAt: STARTED_AT } }],
])('the first message %s is posted after one look at what is as new as it', async (_name, key, notification) => {
  const { web, asked, messages } = busyChannel();
  const input: PublishInput = { upgrade: UPGRADE, channel: CHANNEL, key, notification };
  const ref = await createNotifier({ web }).publish(input);
  expect(ref.ts).toBe(messages[0]?.ts);
  expect(asked).toEqual([OLDEST]);
});

test('a ring that is tried again edits its first message, which is older than the second try', async () => {
  const { web, asked } = busyChannel();
  const again: PublishInput = {
    upgrade: UPGRADE,
    channel: CHANNEL,
    key: 'ring/dev',
    notification: { kind: 'ring', ring: { ...RING, startedAt: STARTED_AT, attempt: 2 } },
  };
  await createNotifier({ web }).publish(again);
  expect(asked[0]).toBeUndefined();
});

test('the link of a run that has just been started, or of one that has run for hours, costs one call', async () => {
  const { web, deps, asked, messages } = busyChannel();
  const run = { ...UPGRADE, notBefore: STARTED_AT };
  await createNotifier({ web }).publish({
    upgrade: UPGRADE,
    channel: CHANNEL,
    key: 'board',
    notification: { kind: 'board', status: status({ startedAt: STARTED_AT }) },
  });
  asked.splice(0);
  const url = `https://acme.slack.com/${messages[0]?.ts}`;
  expect(await threadUrl(deps, CHANNEL, run)).toBe(url);
  expect(await gateUrl(deps, CHANNEL, run)).toBe(url);
  vi.useFakeTimers({ toFake: ['Date'], now: STARTED_SEC * 1000 });
  expect(await startedText(deps, { ...UPGRADE, plan: plan() }, 'staging')).toContain(`<${url}|Open its thread>`);
  expect(asked).toEqual([OLDEST, OLDEST, OLDEST]);
});
