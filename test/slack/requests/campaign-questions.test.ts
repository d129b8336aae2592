/** What a typed start, stop or rollback of a campaign asks before it acts, and what a press of its buttons comes to. */
import { describe, expect, test } from 'vitest';
import type { Campaigns } from '../../../client/campaigns/campaigns.ts';
import { UpgradesError } from '../../../client/upgrades-client.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { RUN_ID } from '../fixtures.ts';
import { interaction, send, withHttp } from '../signed.ts';
import { type Bench, CHANNEL, question, withApp } from '../support.ts';

const open: Partial<Campaigns> = { newestRun: async () => ({ runId: RUN_ID, isOpen: true }) };
const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };

const DEEDS = ['campaign start', 'campaign stop', 'campaign rollback'];
const done = ({ asked }: Bench) => asked.filter(({ what }) => DEEDS.includes(what));

function wordsOf(bench: Bench, ts: string): string[] {
  const { blocks = [] } = bench.slack.messages().find((message) => message.ts === ts) ?? {};
  const textIn = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(textIn);
    if (typeof value !== 'object' || value === null) return [];
    const { text, elements } = value as { text?: unknown; elements?: unknown };
    return [...(typeof text === 'string' ? [text] : textIn(text)), ...textIn(elements)];
  };
  return textIn(blocks);
}

const START = 'Start campaign to-1-34 to 1.34?';
const STOP = 'Stop campaign to-1-34?';
const ROLLBACK = 'Roll ring prod of campaign to-1-34 back?';

const QUESTIONS: [string, Partial<Campaigns>, string[], { what: string; request: object }][] = [
  [
    'start to-1-34',
    {},
    [
      START,
      'Belay checks every cluster, which takes a few minutes, opens a thread, and waits at the gate of ring dev. No cluster is upgraded before somebody approves that gate.',
      'To end it at any time: `/eks-upgrade campaign stop to-1-34`. Upgrades that have started finish on their own.',
      'Start',
      'Cancel',
    ],
    { what: 'campaign start', request: { campaign: 'to-1-34', requestedBy: SAM } },
  ],
  [
    'stop to-1-34',
    open,
    [
      STOP,
      'Ring dev waits for approval.\n🔒 *dev* 0/2 done · 1 held\n      dev-2: held: it is at 1.31, 3 minors below 1.34; write hops: allowed, or first upgrade it to the minor before 1.34\n○ *prod* 0/1 done\nNo further cluster starts. Running upgrades finish on their own, and their gates still need decisions.',
      'A stop cannot be undone. To pause the campaign instead: `/eks-upgrade campaign pause to-1-34`.',
      'Stop',
      'Cancel',
    ],
    { what: 'campaign stop', request: { campaign: 'to-1-34', verb: 'stop', run: RUN_ID, actor: SAM } },
  ],
  [
    'rollback to-1-34 prod',
    {},
    [
      ROLLBACK,
      'Pauses the campaign, and reads which clusters EKS can still roll back (for seven days after their upgrade). Belay then opens a thread with the list, and waits for one approval with a reason. No cluster is rolled back before that.',
      'To end it at any time: `/eks-upgrade campaign stop to-1-34.rollback.prod`. To continue the campaign afterwards: `/eks-upgrade campaign resume to-1-34`.',
      'Plan the rollback',
      'Cancel',
    ],
    { what: 'campaign rollback', request: { campaign: 'to-1-34', ring: 'prod', requestedBy: SAM } },
  ],
];

describe('a typed command of a campaign that cannot be taken back, or posts, asks once', () => {
  test.each(QUESTIONS)('%s: says what happens, and does it at the press', async (text, campaigns, words, deed) => {
    await withApp({ campaigns }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade campaign ${text}`);
      const ts = await question(bench, 'U0SAM', words[0] ?? '');
      expect(wordsOf(bench, ts)).toEqual(words);
      expect(done(bench)).toEqual([]);
      expect(await bench.slack.click('U0SAM', ts, 'question/does')).toBe('acked');
      await eventually(() => done(bench).length === 1 && wordsOf(bench, ts).length === 1);
      expect(done(bench)).toMatchObject([deed]);
    });
  });

  test.each(QUESTIONS)('%s: Cancel does nothing, and says so in its place', async (text, campaigns, words) => {
    await withApp({ campaigns }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade campaign ${text}`);
      await bench.slack.click('U0SAM', await question(bench, 'U0SAM', words[0] ?? ''), 'question/cancels');
      await eventually(() => bench.seenBy('U0SAM')[0]?.startsWith('Cancelled'));
      const command = `campaign ${text.split(' ').slice(0, 2).join(' ')}`;
      expect(bench.seenBy('U0SAM')).toEqual([`Cancelled, nothing was done: \`/eks-upgrade ${command}\``]);
      expect(done(bench)).toEqual([]);
    });
  });

  test.each(['plan to-1-34', 'status to-1-34', 'pause to-1-34', 'resume to-1-34', 'retry to-1-34', 'beside to-1-34 dev-1'])(
    '%s is done as it is typed',
    async (text) => {
      await withApp({ campaigns: open }, async (bench) => {
        await bench.slack.submitCommand('U0SAM', `/eks-upgrade campaign ${text}`);
        await eventually(() => bench.seenBy('U0SAM').length > 0);
        expect(JSON.stringify(bench.slack.messages())).not.toContain('question/');
      });
    },
  );
});

describe('nothing is asked that could not be done', () => {
  test.each<[string, Partial<Campaigns>, string]>([
    ['start to-1-35', {}, 'belay.yaml names no campaign "to-1-35". Type /eks-upgrade campaign to choose one in a form.'],
    [
      'start to-1-34',
      open,
      'Campaign to-1-34 is already open: "/eks-upgrade campaign status to-1-34" shows it, "/eks-upgrade campaign stop to-1-34" ends it.',
    ],
    ['stop to-1-34', {}, 'Campaign to-1-34 is not open. Start it with "/eks-upgrade campaign start to-1-34".'],
    ['rollback to-1-34 test', {}, 'to-1-34 has no ring test; its rings: dev, prod.'],
    [
      'rollback to-1-34 prod',
      open,
      'Campaign to-1-34.rollback.prod is already open: "/eks-upgrade campaign status to-1-34.rollback.prod" shows it, "/eks-upgrade campaign stop to-1-34.rollback.prod" ends it.',
    ],
  ])('%s', async (text, campaigns, expected) => {
    await withApp({ campaigns }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade campaign ${text}`);
      expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(expected);
      expect(JSON.stringify(bench.slack.messages())).not.toContain('question/');
    });
  });

  test('without a worker a stop says so, and can still be sent', async () => {
    const status = () => Promise.reject(new UpgradesError('no-worker', 'No worker answers.'));
    await withApp({ campaigns: { ...open, status } }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade campaign stop to-1-34');
      const ts = await question(bench, 'U0SAM', STOP);
      expect(wordsOf(bench, ts)[1]).toMatch(/^Could not read where it is: No worker answers\.\nNo further cluster starts\./);
      await bench.slack.click('U0SAM', ts, 'question/does');
      await eventually(() => done(bench).length === 1);
    });
  });
});

let presses = 0;

/** A press by hand: of any value, by anybody. */
async function press(
  bench: Bench,
  deed: object,
  { user = 'U0SAM', by, channel = CHANNEL }: { user?: string; by?: string; channel?: string } = {},
): Promise<void> {
  presses += 1;
  const actions = [
    { type: 'button', action_id: 'question/does', block_id: 'b', value: JSON.stringify({ id: 'asked', by: by ?? user, deed }) },
  ];
  const container = { type: 'message', is_ephemeral: true };
  const place = { id: channel, name: channel === CHANNEL ? 'eks-upgrades' : 'kitchen' };
  await send(bench, interaction(user, { type: 'block_actions', actions, container, channel: place, trigger_id: `press.${presses}` }));
}

const [START_IT, STOP_IT, ROLL_BACK] = [
  { kind: 'campaign start', campaign: 'to-1-34', since: '' },
  { kind: 'campaign stop', campaign: 'to-1-34', run: RUN_ID },
  { kind: 'campaign rollback', campaign: 'to-1-34', ring: 'prod', since: '' },
];
const channels = [...WORKSPACE.channels, { id: 'C0KITCHEN', name: 'kitchen', topic: '', botIsMember: true }];
const people = WORKSPACE.people.map((person) =>
  person.id === 'U0ALEX' ? { ...person, standing: { guest: 'multi-channel' as const } } : person,
);
const server = { workspace: { ...WORKSPACE, channels, people } };

describe.each([START_IT, STOP_IT, ROLL_BACK])('a press of $kind is judged as the command was', (deed) => {
  test.each<[string, Parameters<typeof press>[2], RegExp]>([
    ['by somebody else', { by: 'U0ALEX' }, /^Nothing was done: this question was for somebody else\./],
    ['in a channel of no cluster', { channel: 'C0KITCHEN' }, /^Nothing was done: /],
    ['by a guest', { user: 'U0ALEX' }, /^Guests of the workspace may not do that\. Nothing was done\.$/],
  ])('%s: nothing is done', async (_name, how, expected) => {
    await withHttp(
      async (bench) => {
        await press(bench, deed, how);
        expect(await eventually(() => bench.seenBy(how?.user ?? 'U0SAM')[0])).toMatch(expected);
        expect(done(bench)).toEqual([]);
      },
      { server },
    );
  });
});

describe('a start and a rollback are done once, and not where another run has begun', () => {
  test.each([
    ['start', START_IT],
    ['rollback', ROLL_BACK],
  ])('%s, pressed twice', async (_name, deed) => {
    const taken = new Set<string>();
    const claim = (id: string): Promise<boolean> => Promise.resolve(!taken.has(id) && taken.add(id).has(id));
    await withHttp(
      async (bench) => {
        await press(bench, deed);
        await press(bench, deed);
        await eventually(() => bench.seenBy('U0SAM').includes('You have already answered this, so nothing more was done.'));
        expect(done(bench)).toHaveLength(1);
      },
      { upgrades: { claim } },
    );
  });

  test.each([
    ['start', START_IT, 'to-1-34'],
    ['rollback', ROLL_BACK, 'to-1-34.rollback.prod'],
  ])('%s, after another has begun', async (_name, deed, name) => {
    for (const isOpen of [true, false])
      await withHttp(
        async (bench) => {
          await press(bench, deed);
          expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(
            `Campaign ${name} was started since you were asked, so nothing more was started. Check "/eks-upgrade campaign status ${name}", then type the command again.`,
          );
          expect(done(bench)).toEqual([]);
        },
        { campaigns: { newestRun: async () => ({ runId: 'newer', isOpen }) } },
      );
  });

  test('a stop, pressed twice, is one update of the run that was shown', async () => {
    await withHttp(async (bench) => {
      await press(bench, STOP_IT);
      await press(bench, STOP_IT);
      await eventually(() => done(bench).length === 2);
      const request = { campaign: 'to-1-34', verb: 'stop', run: RUN_ID, actor: SAM, requestId: 'asked' };
      expect(done(bench)).toEqual([
        { what: 'campaign stop', request },
        { what: 'campaign stop', request },
      ]);
    });
  });
});
