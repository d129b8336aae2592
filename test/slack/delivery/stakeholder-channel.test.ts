/** The second channel: started, needs a decision, finished; each once, and never in the way of the thread. */
import { describe, expect, test } from 'vitest';
import type { Notification, PublishInput } from '../../../domain/run/notifications.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import { type SlackStandIn, startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { createNotifier, createSlackWeb, type Notifier } from '../../../slack/delivery/notifier.ts';
import { decided, gate, open, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';

const NOW = new Date('2026-03-03T12:10:00Z');
const NEWS = 'C0NEWS';
const OTHER = { id: 'C0OTHER', name: 'other-news', topic: '', botIsMember: true };

interface Bench {
  slack: SlackStandIn;
  notifier: Notifier;
  /** A fresh one has no memory, as after a worker's restart. */
  another(): Notifier;
  news(): Message[];
}

async function withNews(run: (bench: Bench) => Promise<void>): Promise<void> {
  const channels = [...WORKSPACE.channels, { id: NEWS, name: 'news', topic: '', botIsMember: true }, OTHER];
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, workspace: { ...WORKSPACE, channels } });
  const another = (): Notifier =>
    createNotifier({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }), nowMs: () => NOW.getTime() });
  try {
    await run({ slack, notifier: another(), another, news: () => slack.messages().filter(({ channel }) => channel === NEWS) });
  } finally {
    await slack.close();
  }
}

function input(key: string, notification: Notification, stakeholders = '#news'): PublishInput {
  return { upgrade: UPGRADE, channel: '#eks-upgrades', stakeholders, key, notification };
}
const board = (change: Partial<UpgradeStatus> = {}): PublishInput => input('board', { kind: 'board', status: status(change) });
const gateOf = (state: ReturnType<typeof open>, reminder = false): PublishInput =>
  input(`gate/${gate().id}`, {
    kind: 'gate',
    state,
    workflowId: WORKFLOW_ID,
    revision: 1,
    mention: { users: ['U0SAM'], groups: [] },
    reminder,
  });
const report = (): PublishInput =>
  input('report', {
    kind: 'report',
    report: {
      status: status({ state: 'completed', headline: 'staging is at 1.32', endedAt: '2026-03-03T13:00:00Z' }),
      outcome: 'completed',
      decisions: [],
      leftBehind: [],
    },
  });

describe('stakeholders', () => {
  test('of a run of a campaign they hear what needs people, and neither of its start nor of a good end', async () => {
    await withNews(async ({ notifier, news }) => {
      await notifier.publish(input('board', { kind: 'board', status: status(), quiet: true }));
      await notifier.publish(gateOf(open()));
      const { notification } = report();
      if (notification.kind !== 'report') throw new Error('a report');
      await notifier.publish(input('report', { ...notification, quiet: true }));
      expect(news().map(({ text }) => text)).toEqual([expect.stringContaining('needs a decision')]);
    });
  });

  test('hear that it has started, needs people and has finished, with links to the thread, and of nothing else', async () => {
    await withNews(async ({ slack, notifier, news }) => {
      await notifier.publish(board({ from: undefined, state: 'planning', steps: [] }));
      expect(news()).toEqual([]);
      await notifier.publish(board());
      await notifier.publish(input('note/x/1', { kind: 'note', level: 'alarm', text: 'Something' }));
      await notifier.publish(gateOf(open()));
      await notifier.publish(gateOf(open(), true));
      await notifier.publish(board({ headline: 'Goes on' }));
      const texts = news().map(({ text }) => text);
      expect(texts).toHaveLength(2);
      expect(texts[0]).toMatch(
        /^🚀 \*Started: staging 1\.31 → 1\.32\*, requested by alex\. About 36 min of work, .* <http:\/\/127\.0\.0\.1:\d+\/archives\/C0UPGRADES\/p\d+\|Follow it>$/,
      );
      expect(texts[1]).toMatch(/^⏳ \*staging needs a decision\*: Move the control plane to 1\.32\? Decide by <!date\^\d+\^.*\|See it>$/);
      await notifier.publish(gateOf(decided()));
      await notifier.publish(report());
      expect(news().map(({ text }) => text.split(' <')[0])).toEqual([
        texts[0]?.split(' <')[0],
        '☑ staging: Move the control plane to 1.32? Approve by sam.',
        '*✅ Completed: staging 1.31 → 1.32*. staging is at 1.32. It took 1 h.',
      ]);
      // Who only looks on is not called.
      for (const { text, blocks } of news()) expect(`${text}${JSON.stringify(blocks)}`).not.toMatch(/<@|<!subteam/);
      expect(slack.messages().filter(({ channel }) => channel === 'C0UPGRADES').length).toBeGreaterThan(3);
    });
  });

  test("a gate of a step's own workflow names the cluster", async () => {
    await withNews(async ({ notifier, news }) => {
      const asked = gateOf(open());
      const { notification } = asked;
      if (notification.kind !== 'gate') throw new Error('no gate');
      const ofStep = { ...asked, notification: { ...notification, workflowId: `${WORKFLOW_ID}/karpenter-drift@1.32` } };
      await notifier.publish(board());
      await notifier.publish(ofStep);
      expect(news().at(-1)?.text).toMatch(/^⏳ \*staging needs a decision\*: /);
    });
  });

  test('how a gate ended is nothing for those who were never asked about it', async () => {
    await withNews(async ({ notifier, news }) => {
      await notifier.publish({ ...board(), stakeholders: undefined });
      await notifier.publish({ ...gateOf(open()), stakeholders: undefined });
      await notifier.publish(gateOf(decided()));
      expect(news()).toEqual([]);
    });
  });

  test('after a restart, and after an answer that was lost, nothing is told twice', async () => {
    await withNews(async ({ notifier, another, news }) => {
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      for (const again of [another(), another()]) {
        await again.publish(board({ headline: 'x' }));
        await again.publish(gateOf(open(), true));
      }
      expect(news()).toHaveLength(2);
      await another().publish(gateOf(decided()));
      expect(news().map(({ text }) => text[0])).toEqual([expect.anything(), '☑']);
    });
  });

  test.each<[string, string]>([
    ['a channel that is not there', '#nowhere'],
    ['a channel that the app is not in', '#general'],
  ])('%s is no reason to keep anything from the thread', async (_name, stakeholders) => {
    await withNews(async ({ slack, notifier }) => {
      await notifier.publish({ ...board(), stakeholders });
      await notifier.publish({ ...gateOf(open()), stakeholders });
      await notifier.publish({ ...report(), stakeholders });
      expect(slack.messages()).toHaveLength(3);
    });
  });

  test('what Slack does not take just now is told with what comes next; a report, after which nothing comes, is tried again', async () => {
    await withNews(async ({ slack, notifier, news }) => {
      const busy = (): void =>
        slack.setFates({
          meet: ({ resource }) => (resource === NEWS ? { kind: 'refuse', status: 503, code: 'internal_error', message: '' } : undefined),
        });
      busy();
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      expect([slack.messages().length, news().length]).toEqual([2, 0]);
      slack.setFates(undefined);
      await notifier.publish(input('note/x/1', { kind: 'note', level: 'info', text: 'Something' }));
      expect(news().map(({ text }) => text.slice(0, 2))).toEqual(['🚀', '⏳ ']);
      busy();
      await expect(notifier.publish(report())).rejects.toThrow('503');
      slack.setFates(undefined);
      await notifier.publish(report());
      expect(news().at(-1)?.text).toContain('Completed');
    });
  });

  test('a channel that does not take one holds up neither the channels of other clusters nor their reports', async () => {
    await withNews(async ({ slack, notifier, news }) => {
      slack.setFates({
        meet: ({ resource }) =>
          resource === OTHER.id ? { kind: 'refuse', status: 200, code: 'some_new_answer_of_slack', message: '' } : undefined,
      });
      const ofOther = (said: PublishInput): PublishInput => ({
        ...said,
        upgrade: { workflowId: 'eks-upgrade/111122223333/eu-west-1/other', runId: 'another' },
        stakeholders: '#other-news',
      });
      await notifier.publish(ofOther(board()));
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      await notifier.publish(report());
      expect(news().map(({ text }) => text.slice(0, 3))).toEqual(['🚀 ', '⏳ *', '*✅ ']);
      await expect(notifier.publish(ofOther(report()))).rejects.toMatchObject({ code: 'some_new_answer_of_slack' });
    });
  });

  test('a line that somebody deleted is not edited any more, and what follows is told: neither a report nor another run waits for it', async () => {
    await withNews(async ({ slack, notifier, news }) => {
      await notifier.publish(board());
      await notifier.publish(gateOf(open()));
      const [, line] = news();
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
      await web.chat.delete({ channel: NEWS, ts: String(line?.ts) });
      await notifier.publish(gateOf(decided()));
      await notifier.publish({ ...board(), upgrade: { ...UPGRADE, runId: 'another' } });
      await notifier.publish(report());
      expect(news().map(({ text }) => text.slice(0, 3))).toEqual(['🚀 ', '🚀 ', '*✅ ']);
    });
  });

  test('a channel in which only some people may post is like one that is not there', async () => {
    await withNews(async ({ slack, notifier, news }) => {
      slack.setFates({
        meet: ({ resource }) =>
          resource === NEWS ? { kind: 'refuse', status: 200, code: 'restricted_action_read_only_channel', message: '' } : undefined,
      });
      await notifier.publish(board());
      await notifier.publish(report());
      expect(news()).toEqual([]);
      expect(slack.messages().length).toBeGreaterThan(1);
    });
  });
});
