/** U2: direct messages to approvers who asked for them, through the Bolt app and the notifier, against Slack's stand-in. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { createNotifyActivities } from '../../../activities/run/people/notify.ts';
import { EXTERNAL_CALLS, type ExternalCall } from '../../../domain/core/external-call.ts';
import { WEEKDAYS } from '../../../domain/policy/windows.ts';
import type { OpenGate } from '../../../domain/gates/gate.ts';
import type { Notification, PublishInput, Voters } from '../../../domain/run/notifications.ts';
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import type { StatusAnswer } from '../../../client/upgrades-client.ts';
import { createNotifier, createSlackWeb, type Notifier } from '../../../slack/delivery/notifier.ts';
import { eventually } from '../../support/eventually.ts';
import { decided, gate, NOW_MS, open, RUN_ID, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { type Bench as App, type BenchOptions, CHANNEL, withApp } from '../support.ts';

type GateNotification = Extract<Notification, { kind: 'gate' }>;

interface Bench extends App {
  notifier: Notifier;
  /** A fresh one has no memory, as after a worker's restart. */
  another(directTimes?: { mostMs?: number; againMs?: number }): Notifier;
  warned: string[];
  /** In a person's conversation with the app. */
  direct(user: string): Message[];
  /** Those of gates. */
  gates(user: string): Message[];
}

async function withWorker(run: (bench: Bench) => Promise<void>, options: BenchOptions = {}): Promise<void> {
  await withApp(options, async (app) => {
    const { slack } = app;
    const warned: string[] = [];
    const another = (directTimes = {}): Notifier =>
      createNotifier({
        web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }),
        nowMs: () => NOW_MS,
        warn: (message) => warned.push(message),
        directTimes,
      });
    const direct = (user: string): Message[] => slack.messages().filter(({ channel }) => channel === `D${user.slice(1)}`);
    const gates = (user: string): Message[] => direct(user).filter(({ metadata }) => metadata !== undefined);
    const notifier = another();
    await notifier.publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: { kind: 'board', status: status() } });
    await run({ ...app, notifier, another, warned, direct, gates });
  });
}

const KEY = `gate/${gate().id}`;
const VOTERS: Voters = { users: [], groups: ['S0PLATFORM'], except: [] };

/** Opened when messages of the stand-in may be posted: those have wall time. */
function gateOf(state: GateNotification['state'] = open(), change: Partial<GateNotification> = {}): PublishInput<GateNotification> {
  const mention = { users: [], groups: ['S0PLATFORM'] };
  const notification: GateNotification = { kind: 'gate', state, workflowId: WORKFLOW_ID, revision: 1, mention, voters: VOTERS, ...change };
  return { upgrade: UPGRADE, channel: CHANNEL, key: KEY, notification };
}

async function command({ slack, seenBy }: App, user: string, text: string): Promise<string> {
  const before = seenBy(user).length;
  expect(await slack.submitCommand(user, text)).toBe('acked');
  await eventually(`an answer to ${text}`, () => seenBy(user).length > before);
  return seenBy(user).at(-1) ?? '';
}

const ON = 'You get a direct message when a gate waits for you. This can take up to two minutes to take effect.';
const OFF = 'You get no direct messages about gates. This can take up to two minutes to take effect.';
const optIn = async (bench: App, user = 'U0SAM'): Promise<void> => expect(await command(bench, user, '/eks-upgrade notify me on')).toBe(ON);

const homeText = ({ slack }: App, user = 'U0SAM'): string => JSON.stringify(slack.home(user)?.blocks ?? []);
const ofChannel = ({ slack }: App): Message[] =>
  slack.messages().filter(({ channel, metadata }) => channel === CHANNEL && metadata?.event_payload['key'] === KEY);
const buttons = ({ blocks }: Message): unknown[] =>
  blocks.flatMap(({ elements }) => (Array.isArray(elements) ? elements : [])).flatMap(({ action_id: id }) => id ?? []);

describe('U2: direct messages about gates', () => {
  test('the Home turns them on, and off again, and says which it is', async () => {
    await withWorker(async (bench) => {
      const { slack, direct } = bench;
      await slack.openHome('U0SAM');
      await eventually('the button', () => homeText(bench).includes('Message me when a gate waits for me'));
      expect(await slack.pressInView('U0SAM', slack.home('U0SAM')?.id ?? '', 'notify/on')).toBe('acked');
      await eventually('the other button', () => homeText(bench).includes('"Stop messaging me"'));
      expect(homeText(bench)).toContain(ON);
      expect(direct('U0SAM').map(({ text, reactions }) => [text, reactions?.map(({ name }) => name)])).toEqual([
        [
          '🔔 <@U0SAM>: you get a direct message when a gate waits for you. Belay recognizes you by this message and its reaction, so keep both.',
          ['bell'],
        ],
      ]);
      // The one on the message itself does the same as the one of the Home.
      expect(await slack.click('U0SAM', direct('U0SAM')[0]?.ts ?? '', 'notify/off')).toBe('acked');
      await eventually('the first button again', () => homeText(bench).includes('Message me when a gate waits for me'));
      expect(direct('U0SAM').map(({ text, reactions, blocks }) => [text, reactions, blocks.length])).toEqual([
        ['🔕 You no longer get direct messages about gates. You can turn them on again on the App Home.', [], 1],
      ]);
    });
  });

  test('twice on is one message; a command that is not understood says how it goes', async () => {
    await withWorker(async (bench) => {
      await optIn(bench);
      await optIn(bench);
      expect(bench.direct('U0SAM')).toHaveLength(1);
      expect(await command(bench, 'U0SAM', '/eks-upgrade notify me')).toContain('Type /eks-upgrade notify me on, or notify me off.');
      expect(await command(bench, 'U0SAM', '/eks-upgrade notify me off')).toBe(OFF);
      expect(bench.direct('U0SAM')[0]?.reactions).toEqual([]);
    });
  });

  test('one message for a gate, with what is asked, until when, who may decide, a link and Review; others who may decide get none', async () => {
    await withWorker(async (bench) => {
      const { notifier, gates, slack } = bench;
      await optIn(bench);
      await notifier.publish(gateOf());
      await notifier.publish(gateOf());
      const [sent, ...more] = gates('U0SAM');
      expect(more).toEqual([]);
      expect(sent?.text).toBe('staging: Move the control plane to 1.32?');
      const [own] = ofChannel(bench);
      const url = `${new URL(slack.pageUrl).origin}/archives/${CHANNEL}/p${own?.ts.replace('.', '')}?thread_ts=${own?.thread_ts}&amp;cid=${CHANNEL}`;
      expect(sent?.blocks[0]).toMatchObject({
        text: {
          text: [
            '⏳ *staging*: Move the control plane to 1.32?',
            'Decide by <!date^1772625900^{time} {date_short_pretty}|2026-03-04 12:05 UTC>',
            'May decide: <!subteam^S0PLATFORM>',
            `<${url}|Open its message>`,
          ].join('\n'),
        },
      });
      expect(buttons(sent ?? ({} as Message))).toEqual(['review/open/direct']);
      expect(gates('U0RIN')).toEqual([]);
    });
  });

  test('Review opens the gate from there', async () => {
    const waiting: OpenGate & { workflowId: string } = {
      id: gate().id,
      title: gate().title,
      choices: ['approve'],
      offers: [{ label: 'Approve', does: 'Moves it.', style: 'primary' }],
      expiresAt: gate().expiresAt,
      workflowId: WORKFLOW_ID,
    };
    const answer: StatusAnswer = { source: 'workflow', status: status({ state: 'waiting', gates: [waiting] }) };
    await withWorker(
      async (bench) => {
        const { slack, gates, notifier } = bench;
        await optIn(bench);
        await notifier.publish(gateOf());
        expect(await slack.click('U0SAM', gates('U0SAM')[0]?.ts ?? '', 'review/open/direct')).toBe('acked');
        await eventually('the gate', () => JSON.stringify(slack.openViews('U0SAM')).includes('review/choose/approve'));
      },
      { upgrades: { status: () => Promise.resolve(answer) } },
    );
  });

  test('is edited when the gate is decided, by another worker, too, and has no buttons then', async () => {
    await withWorker(async (bench) => {
      const { notifier, another, gates } = bench;
      await optIn(bench);
      await notifier.publish(gateOf());
      await another().publish(gateOf(decided()));
      const [sent, ...more] = gates('U0SAM');
      expect(more).toEqual([]);
      expect(sent?.text).toContain('staging: ✅ Move the control plane to 1.32?: *Approve* by <@U0SAM>');
      expect(buttons(sent ?? ({} as Message))).toEqual([]);
    });
  });

  test.each([
    [
      'withdrawn',
      { kind: 'withdrawn' as const, gate: gate(), votes: [], at: '2026-03-03T12:09:00Z', why: 'the run was aborted' },
      '*Withdrawn*',
    ],
    ['expired', { kind: 'expired' as const, gate: gate(), votes: [], at: '2026-03-04T12:05:00Z' }, '*Expired*'],
  ])('is edited when the gate is %s', async (_how, state, words) => {
    await withWorker(async (bench) => {
      await optIn(bench);
      await bench.notifier.publish(gateOf());
      await bench.notifier.publish(gateOf(state));
      const [sent] = bench.gates('U0SAM');
      expect(sent?.text).toContain(words);
      expect(buttons(sent ?? ({} as Message))).toEqual([]);
    });
  });

  test('a gate that was closed before anybody was told is no message', async () => {
    await withWorker(async (bench) => {
      await optIn(bench);
      await bench.notifier.publish(gateOf(decided()));
      expect(bench.gates('U0SAM')).toEqual([]);
    });
  });

  test('of a worker killed between post and remembering there is one: the next one finds it', async () => {
    await withWorker(async (bench) => {
      await optIn(bench);
      await bench.another().publish(gateOf());
      await bench.another().publish(gateOf());
      expect(bench.gates('U0SAM')).toHaveLength(1);
    });
  });

  test.each<[string, (bench: Bench) => Promise<void> | void, Partial<GateNotification>]>([
    ['who has opted out', async (bench) => void (await command(bench, 'U0SAM', '/eks-upgrade notify me off')), {}],
    ['who asked for the run, under four eyes', () => undefined, { voters: { ...VOTERS, except: ['U0SAM'] } }],
    ['who may not vote', () => undefined, { voters: { users: ['U0RIN'], groups: [], except: [] } }],
    ['who has voted already', () => undefined, { state: { ...open(), votes: decided().votes } }],
    ['of a gate that asks nobody', () => undefined, { voters: undefined }],
  ])('none for somebody %s', async (_who, before, change) => {
    await withWorker(async (bench) => {
      await optIn(bench);
      await before(bench);
      await bench.notifier.publish(gateOf(open(), change));
      expect(bench.gates('U0SAM')).toEqual([]);
      expect(ofChannel(bench)).toHaveLength(1);
    });
  });

  test('none for somebody who has left the channel of the cluster', async () => {
    const people: string[] = ['U0ALEX', 'U0SAM'];
    const channels = WORKSPACE.channels.map((channel) => (channel.id === CHANNEL ? { ...channel, people } : channel));
    await withWorker(
      async (bench) => {
        await optIn(bench);
        people.splice(1, 1);
        await bench.notifier.publish(gateOf());
        expect(bench.gates('U0SAM')).toEqual([]);
        expect(ofChannel(bench)).toHaveLength(1);
      },
      { server: { workspace: { ...WORKSPACE, channels } } },
    );
  });

  test('quiet hours hold them back as they hold back mentions, and not the news that a gate is closed', async () => {
    await withWorker(async (bench) => {
      await optIn(bench);
      const { upgrade, channel, key, notification } = gateOf();
      const { publish } = createNotifyActivities({ notifier: bench.notifier, nowMs: () => NOW_MS });
      const quietHours = [{ days: [...WEEKDAYS], start: '00:00', end: '24:00', timeZone: 'UTC' }];
      await publish({ upgrade, channel, quietHours, messages: [{ key, notification }] });
      expect(bench.gates('U0SAM')).toEqual([]);
      await publish({
        upgrade,
        channel,
        messages: [{ key, notification: { ...notification, reminder: true, afterQuiet: '2026-03-03T12:09:00Z' } }],
      });
      expect(bench.gates('U0SAM').map((sent) => buttons(sent))).toEqual([['review/open/direct']]);
      await publish({ upgrade, channel, quietHours, messages: [{ key, notification: { ...notification, state: decided() } }] });
      expect(bench.gates('U0SAM').map((sent) => buttons(sent))).toEqual([[]]);
    });
  });

  test.each(WORKSPACE.scopes.filter((scope) => scope.startsWith('im:') || scope.startsWith('reactions:')))(
    'without %s the Home says so in the place of the button',
    async (missing) => {
      const scopes = WORKSPACE.scopes.filter((scope) => scope !== missing);
      await withWorker(
        async (bench) => {
          const { slack } = bench;
          const why = `Direct messages about gates are off: the Slack app lacks scope ${missing}. Install it again from slack/manifest.yaml.`;
          await slack.openHome('U0SAM');
          await eventually('the sentence', () => homeText(bench).includes(why));
          expect(homeText(bench)).not.toContain('notify/');
          expect(await command(bench, 'U0SAM', '/eks-upgrade notify me on')).toBe(why);
        },
        { server: { workspace: { ...WORKSPACE, scopes } } },
      );
    },
  );

  test('a missing scope holds up no gate, and is logged once', async () => {
    const scopes = [...WORKSPACE.scopes];
    await withWorker(
      async (bench) => {
        await optIn(bench);
        scopes.splice(scopes.indexOf('im:history'), 1);
        await bench.notifier.publish(gateOf());
        await bench.notifier.publish(gateOf(decided()));
        expect(ofChannel(bench).map(({ text }) => text)).toEqual([expect.stringContaining('*Approve* by')]);
        expect(bench.gates('U0SAM')).toEqual([]);
        expect(bench.warned).toEqual([
          expect.stringMatching(
            /^direct messages about gates: 1 not sent or edited; direct message to U0SAM: .*im:history.* not affected$/,
          ),
        ]);
      },
      { server: { workspace: { ...WORKSPACE, scopes } } },
    );
  });

  test.each([
    ['is rate limited', 'chat.postMessage', { status: 429, retryAfterSec: 30 }],
    ['does not list reactions', 'reactions.list', { error: 'internal_error' }],
    ['does not say who is in the channel', 'conversations.members', { error: 'fatal_error' }],
  ])('where Slack %s the gate is there, and the message comes with its next publication', async (_what, method, fault) => {
    await withWorker(async (bench) => {
      const { notifier, slack, gates } = bench;
      await optIn(bench);
      // The gate's own message first: only the direct one is refused.
      await notifier.publish(gateOf(open(), { voters: undefined }));
      slack.failNext(method, { ...fault, times: 1 });
      await notifier.publish(gateOf());
      expect(gates('U0SAM')).toEqual([]);
      expect(bench.warned).toHaveLength(1);
      await notifier.publish(gateOf());
      expect(gates('U0SAM')).toHaveLength(1);
    });
  });

  test.each(['conversations.history', 'reactions.list'])('the end of a gate, where %s failed, is told by another try', async (method) => {
    await withWorker(async (bench) => {
      const notifier = bench.another({ againMs: 1 });
      await optIn(bench);
      await bench.notifier.publish(gateOf());
      // It knows the thread from here on: only what comes after the gate's own message is refused.
      await notifier.publish(gateOf(decided(), { voters: undefined }));
      bench.slack.failNext(method, { status: 503, times: 1 });
      await notifier.publish(gateOf(decided()));
      await eventually('no buttons', () => bench.gates('U0SAM').every((sent) => buttons(sent).length === 0));
      expect(bench.gates('U0SAM')).toHaveLength(1);
      expect(bench.warned).toHaveLength(1);
    });
  });

  test('a call that Slack never answers holds up no gate', async () => {
    await withWorker(async (bench) => {
      await optIn(bench);
      const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: bench.slack.apiUrl });
      const asked = Promise.withResolvers<void>();
      web.reactions.list = () => {
        asked.resolve();
        return new Promise(() => undefined);
      };
      const notifier = createNotifier({ web, nowMs: () => NOW_MS, directTimes: { mostMs: 1 } });
      await notifier.publish(gateOf());
      await asked.promise;
      expect(ofChannel(bench)).toHaveLength(1);
      await notifier.publish(gateOf(decided()));
      expect(ofChannel(bench).map(({ text }) => text)).toEqual([expect.stringContaining('*Approve* by')]);
    });
  });

  test('of hundreds who may vote only those who asked for messages cost calls', async () => {
    const users = ['U0SAM', ...Array.from({ length: 300 }, (_, index) => `U1${String(index).padStart(4, '0')}`)];
    const groups = WORKSPACE.groups.map((group) => ({ ...group, users }));
    await withWorker(
      async (bench) => {
        await optIn(bench);
        const calls: string[] = [];
        const count = (call: unknown): void => void calls.push((call as ExternalCall).operation);
        subscribe(EXTERNAL_CALLS, count);
        try {
          await bench.notifier.publish(gateOf());
        } finally {
          unsubscribe(EXTERNAL_CALLS, count);
        }
        expect(bench.gates('U0SAM')).toHaveLength(1);
        // Of the gate's own message, and of the one to Sam; whose token it is was asked with the board.
        expect(calls.toSorted()).toEqual([
          'chat.getPermalink',
          'chat.postMessage',
          'chat.postMessage',
          'conversations.history',
          'conversations.members',
          'conversations.replies',
          'reactions.list',
          'usergroups.users.list',
        ]);
      },
      { server: { workspace: { ...WORKSPACE, groups } } },
    );
  });

  test('two workers in turn, of which the first was not allowed to post, send one', async () => {
    await withWorker(async (bench) => {
      await optIn(bench);
      const [first, second] = [bench.another(), bench.another()];
      await first.publish(gateOf({ ...open(), kind: 'open', votes: decided().votes, refused: [] }));
      expect(bench.gates('U0SAM')).toEqual([]);
      await second.publish(gateOf());
      await first.publish(gateOf());
      expect(bench.gates('U0SAM')).toHaveLength(1);
    });
  });

  test('a message that others write in the conversation is not taken for the one of the gate', async () => {
    await withWorker(async (bench) => {
      const { slack, notifier, gates } = bench;
      await optIn(bench);
      const metadata = { event_type: 'belay', event_payload: { key: KEY, upgrade: WORKFLOW_ID, run: RUN_ID } };
      const forged = slack.sayDirectly('U0SAM', 'staging: decided, nothing to do', metadata);
      await notifier.publish(gateOf());
      expect(gates('U0SAM').map(({ text, user }) => [text, user])).toEqual([
        [forged.text, 'U0SAM'],
        ['staging: Move the control plane to 1.32?', WORKSPACE.app.botUserId],
      ]);
    });
  });

  test('a message of others that looks like a wish for messages is none', async () => {
    await withWorker(async (bench) => {
      await optIn(bench, 'U0RIN');
      await optIn(bench);
      await command(bench, 'U0SAM', '/eks-upgrade notify me off');
      const wish = bench.slack.sayDirectly('U0SAM', 'I want them');
      Object.assign(wish, {
        blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: 'notify/off', value: '{"user":"U0SAM"}' }] }],
        reactions: [{ name: 'bell', users: [WORKSPACE.app.botUserId], count: 1 }],
      });
      await bench.notifier.publish(gateOf());
      expect(bench.gates('U0RIN')).toHaveLength(1);
      expect(bench.gates('U0SAM')).toEqual([]);
    });
  });

  test('guests cannot turn them on', async () => {
    const people = WORKSPACE.people.map((person) =>
      person.id === 'U0EVE' ? { ...person, standing: { guest: 'multi-channel' as const } } : person,
    );
    await withWorker(
      async (bench) => {
        expect(await command(bench, 'U0EVE', '/eks-upgrade notify me on')).toContain('uests');
        expect(bench.direct('U0EVE')).toEqual([]);
      },
      { server: { workspace: { ...WORKSPACE, people } } },
    );
  });
});
