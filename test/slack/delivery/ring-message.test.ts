/** A ring's message is in the channel itself, and the list of its clusters is below it, once. */
import { expect, test } from 'vitest';
import type { Notification, PublishInput } from '../../../domain/run/notifications.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { type SlackStandIn, startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { createNotifier, createSlackWeb, type Notifier } from '../../../slack/delivery/notifier.ts';
import { RING } from '../fixtures.ts';

const NOW = new Date('2026-03-03T12:10:00Z');

const input = (key: string, notification: Notification): PublishInput => ({
  upgrade: { workflowId: 'eks-campaign/to-1-34', runId: 'first-run' },
  channel: '#eks-upgrades',
  key,
  notification,
});
const board = input('board', { kind: 'note', level: 'info', text: 'the board' });
const note = input('note/campaign/1', { kind: 'note', level: 'info', text: 'Ring dev begins' });
const ring = (line = RING.line): PublishInput => input('ring/dev', { kind: 'ring', ring: { ...RING, line } });
const list = input('list/dev/1', {
  kind: 'file',
  below: 'ring/dev',
  fileName: 'to-1-34-dev-1.csv',
  title: 'Clusters of ring dev',
  content: 'a,b',
});

async function withSlack(run: (slack: SlackStandIn, another: () => Notifier) => Promise<void>): Promise<void> {
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW });
  // A fresh one has no memory, as after a worker's restart.
  const another = (): Notifier =>
    createNotifier({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }), nowMs: () => NOW.getTime() });
  try {
    await run(slack, another);
  } finally {
    await slack.close();
  }
}

const filesBelow = (slack: SlackStandIn, ts: string): unknown[] =>
  slack.messages().flatMap((message) => (message.thread_ts === ts ? (message.files ?? []).map(({ name }) => name) : []));

test('one message a ring in the channel, edited by whichever worker; its list is below it, once; facts stay in the thread of the campaign', async () => {
  await withSlack(async (slack, another) => {
    const notifier = another();
    const root = await notifier.publish(board);
    const first = await notifier.publish(ring());
    await notifier.publish(note);
    expect(await another().publish(ring('1/2 done · 1 running'))).toEqual(first);
    expect(await notifier.publish(list)).toEqual(first);
    await another().publish(list);
    expect(
      slack
        .messages()
        .filter(({ files }) => files === undefined)
        .map(({ text, thread_ts }) => [text, thread_ts]),
    ).toEqual([
      ['ℹ the board', root.ts],
      ['Ring dev of campaign to-1-34 to 1.34: 1/2 done · 1 running', first.ts],
      ['ℹ Ring dev begins', root.ts],
    ]);
    expect(filesBelow(slack, first.ts)).toEqual(['to-1-34-dev-1.csv']);
  });
});

test('a list that Slack does not take now is tried again; one that it never takes holds up nothing; one whose message is gone is below the board', async () => {
  await withSlack(async (slack, another) => {
    const root = await another().publish(board);
    await another().publish(list);
    expect(filesBelow(slack, root.ts)).toEqual(['to-1-34-dev-1.csv']);
    const { ts } = await another().publish(ring());
    slack.failNext('files.getUploadURLExternal', { error: 'missing_scope', times: 1 });
    await expect(another().publish(list)).resolves.toMatchObject({ ts });
    expect(filesBelow(slack, ts)).toEqual([]);
    slack.failNext('files.getUploadURLExternal', { error: 'internal_error', times: 1 });
    await expect(another().publish(list)).rejects.toMatchObject({ retryable: true });
    await another().publish(list);
    expect(filesBelow(slack, ts)).toEqual(['to-1-34-dev-1.csv']);
  });
});
