/** What a typed abort, skip, start or rollback asks before it acts, and what a press of its buttons comes to. */
import { describe, expect, test } from 'vitest';
import { type Upgrades, UpgradesError } from '../../../client/upgrades-client.ts';
import { RUN_ID, status, WORKFLOW_ID } from '../fixtures.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { oneOf } from '../../../slack/blocks/kit/text.ts';
import { eventually } from '../../support/eventually.ts';
import { interaction, send, withHttp } from '../signed.ts';
import { type Bench, CHANNEL, question, typeAndConfirm, withApp } from '../support.ts';

const FAILED = 'failed:control-plane@1.32#2';
const failedGate = {
  workflowId: WORKFLOW_ID,
  id: FAILED,
  title: 'Control plane to 1.32 has failed',
  choices: ['retry', 'skip'],
  offers: [
    { label: 'Retry', does: 'Runs the step again.' },
    { label: 'Skip', does: 'Continues without the step.', needsReason: true },
  ],
  undo: 'Within 7 days the control plane can be rolled back.',
  expiresAt: '2026-03-04T12:00:00Z',
  revision: 3,
  planHash: 'p',
};
const failing: Partial<Upgrades> = {
  status: () => Promise.resolve({ source: 'workflow', status: status({ gates: [failedGate] }) }),
};
const open: Partial<Upgrades> = { newestRun: () => Promise.resolve({ runId: RUN_ID, isOpen: true }) };
const ended: Partial<Upgrades> = { newestRun: () => Promise.resolve({ runId: RUN_ID, isOpen: false }) };
const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };

const DEEDS: readonly (keyof Upgrades)[] = ['start', 'startBack', 'abort', 'decide'];
const done = ({ asked }: Bench) => asked.filter(({ what }) => DEEDS.some((deed) => deed === what));

/** All that the question says, and its buttons. */
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

const QUESTIONS: [string, Partial<Upgrades>, string[], { what: string; request: object }][] = [
  [
    'abort staging',
    open,
    [
      'Abort the upgrade of staging?',
      'Now: staging 1.31 → 1.32 – The control plane moves to 1.32\nRunning: Control plane to 1.32. Belay waits for what EKS has already started.\nNo further step starts. Versions already changed stay; temporary changes are undone, but a Karpenter freeze stays while nodes lag behind the control plane.',
      'An abort cannot be undone. A new upgrade starts from the state that the cluster is in by then.',
      'Abort',
      'Cancel',
    ],
    { what: 'abort', request: { cluster: 'staging', run: RUN_ID, actor: SAM } },
  ],
  [
    'skip staging done by hand <!channel>',
    failing,
    [
      'Skip this step of staging? Control plane to 1.32 has failed',
      'Continues without the step.\nYour reason, as the thread and the record will show it: done by hand &lt;!channel&gt;\n*What can be undone*\nWithin 7 days the control plane can be rolled back.',
      'Skip',
      'Cancel',
    ],
    {
      what: 'decide',
      request: {
        cluster: 'staging',
        workflowId: WORKFLOW_ID,
        gateId: FAILED,
        revision: 3,
        planHash: 'p',
        run: RUN_ID,
        choice: 'skip',
        actor: SAM,
        reason: 'done by hand <!channel>',
      },
    },
  ],
  [
    'start staging 1.32 --strategy every-hop',
    {},
    [
      'Start the upgrade of staging to 1.32?',
      "Belay plans it, opens a thread in the cluster's channel, and waits at the first gate. Nothing is changed before somebody approves that gate.\nNodes: every-hop",
      'To end it at any time: `/eks-upgrade abort staging`.',
      'Start',
      'Cancel',
    ],
    { what: 'start', request: { cluster: 'staging', target: '1.32', strategy: 'every-hop', requestedBy: SAM } },
  ],
  [
    'rollback staging',
    ended,
    [
      'Roll staging back?',
      'Opens its own thread with the plan, and waits at its first gate. Nothing is changed before somebody approves that gate. EKS can roll a control plane back for seven days after its upgrade.',
      'To end it at any time: `/eks-upgrade abort staging`.',
      'Plan the rollback',
      'Cancel',
    ],
    { what: 'startBack', request: { cluster: 'staging', requestedBy: SAM } },
  ],
  [
    'rollback staging add-ons',
    {},
    [
      'Undo add-ons of staging?',
      'Opens its own thread with the plan to undo add-ons, and waits at its first gate. Nothing is changed before somebody approves that gate.',
      'To end it at any time: `/eks-upgrade abort staging`.',
      'Plan to undo add-ons',
      'Cancel',
    ],
    { what: 'startBack', request: { cluster: 'staging', requestedBy: SAM, undo: 'add-ons' } },
  ],
];

describe('U6: a typed command that cannot be taken back, or posts, asks once', () => {
  test.each(QUESTIONS)('%s: says what happens, does it at the press, and leaves one message', async (text, upgrades, words, deed) => {
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
      const ts = await question(bench, 'U0SAM', words[0] ?? '');
      expect(wordsOf(bench, ts)).toEqual(words);
      expect(done(bench)).toEqual([]);
      expect(await bench.slack.click('U0SAM', ts, 'question/does')).toBe('acked');
      await eventually(() => done(bench).length === 1 && wordsOf(bench, ts).length === 1);
      expect(done(bench)).toMatchObject([deed]);
      expect(bench.seenBy('U0SAM')).toHaveLength(1);
    });
  });

  test.each(QUESTIONS)('%s: Cancel does nothing, and says so in its place', async (text, upgrades, words) => {
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
      await bench.slack.click('U0SAM', await question(bench, 'U0SAM', words[0] ?? ''), 'question/cancels');
      await eventually(() => bench.seenBy('U0SAM')[0]?.startsWith('Cancelled'));
      expect(bench.seenBy('U0SAM')).toEqual([`Cancelled, nothing was done: \`/eks-upgrade ${text.split(' ').slice(0, 2).join(' ')}\``]);
      expect(done(bench)).toEqual([]);
    });
  });

  test.each(['plan staging 1.32', 'rollback staging --dry-run', 'pause staging', 'resume staging', 'retry staging', 'check staging 1.32'])(
    '%s is done as it is typed',
    async (text) => {
      await withApp({ upgrades: failing }, async (bench) => {
        await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
        await eventually(() => bench.seenBy('U0SAM').length > 0);
        expect(JSON.stringify(bench.slack.messages())).not.toContain('question/');
      });
    },
  );
});

let presses = 0;

/** A press by hand: of any value, by anybody. */
async function press(bench: Bench, user: string, deed: object, { by = user, id = 'asked', channel = CHANNEL } = {}): Promise<void> {
  presses += 1;
  const actions = [{ type: 'button', action_id: 'question/does', block_id: 'b', value: JSON.stringify({ id, by, deed }) }];
  const container = { type: 'message', is_ephemeral: true };
  const place = { id: channel, name: channel === CHANNEL ? 'eks-upgrades' : 'kitchen' };
  await send(bench, interaction(user, { type: 'block_actions', actions, container, channel: place, trigger_id: `press.${presses}` }));
}

const ABORT = { kind: 'abort', cluster: 'staging', run: RUN_ID };
const START = { kind: 'start', cluster: 'staging', target: '1.32', since: '' };
const ROLLBACK = { kind: 'rollback', cluster: 'staging', since: 'earlier' };
const SKIP = { kind: 'skip', cluster: 'staging', gateId: FAILED, revision: 3, run: RUN_ID, reason: 'by hand' };
const channels = [...WORKSPACE.channels, { id: 'C0KITCHEN', name: 'kitchen', topic: '', botIsMember: true }];
const people = WORKSPACE.people.map((person) =>
  person.id === 'U0ALEX' ? { ...person, standing: { guest: 'multi-channel' as const } } : person,
);
const server = { workspace: { ...WORKSPACE, channels, people } };

describe('U6: a press is judged as the command was', () => {
  test.each<[string, object, Parameters<typeof press>[3], string]>([
    ['by somebody else', ABORT, { by: 'U0ALEX' }, 'Nothing was done: this question was for somebody else. Type the command yourself.'],
    [
      'in another channel',
      ABORT,
      { channel: 'C0KITCHEN' },
      'Nothing was done: upgrades of staging belong in #eks-upgrades. Type the command there.',
    ],
    [
      'for a cluster of another channel',
      { ...START, cluster: 'elsewhere' },
      {},
      'Nothing was done: upgrades of elsewhere belong in #general. Type the command there.',
    ],
    [
      'for a cluster that nobody knows',
      { ...SKIP, cluster: 'nowhere' },
      {},
      'belay.yaml: no cluster "nowhere"; there are: staging, elsewhere',
    ],
    [
      'of a value that says nothing',
      { kind: 'explode', cluster: 'staging' },
      {},
      'Nothing was done: this button does not say what it decides. Use the newest buttons on the board, or "belay decide".',
    ],
    [
      'of an abort of no run',
      { kind: 'abort', cluster: 'staging' },
      {},
      'Nothing was done: this button does not say what it decides. Use the newest buttons on the board, or "belay decide".',
    ],
  ])('%s: nothing is done', async (_name, deed, how, expected) => {
    await withHttp(
      async (bench) => {
        await press(bench, 'U0SAM', deed, how);
        expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(expected);
        expect(done(bench)).toEqual([]);
      },
      { server },
    );
  });

  test.each([
    ['start', START],
    ['rollback', ROLLBACK],
    ['skip', SKIP],
  ])('%s: not for a guest', async (_name, deed) => {
    await withHttp(
      async (bench) => {
        await press(bench, 'U0ALEX', deed);
        expect(await eventually(() => bench.seenBy('U0ALEX')[0])).toBe('Guests of the workspace may not do that. Nothing was done.');
        expect(done(bench)).toEqual([]);
      },
      { server },
    );
  });

  test.each([
    ['start', START, 'start'],
    ['rollback', { ...ROLLBACK, since: '' }, 'startBack'],
  ])('%s: pressed twice it is done once', async (_name, deed, what) => {
    const taken = new Set<string>();
    const claim = (id: string): Promise<boolean> => Promise.resolve(!taken.has(id) && taken.add(id).has(id));
    await withHttp(
      async (bench) => {
        await press(bench, 'U0SAM', deed);
        await press(bench, 'U0SAM', deed);
        await eventually(() => bench.seenBy('U0SAM').includes('You have already answered this, so nothing more was done.'));
        await eventually(() => done(bench).length > 0);
        expect(done(bench).map((one) => one.what)).toEqual([what]);
        expect([...taken]).toEqual(['question:asked']);
      },
      { upgrades: { claim } },
    );
  });

  test('abort: pressed twice it is one update', async () => {
    await withHttp(async (bench) => {
      await press(bench, 'U0SAM', ABORT);
      await press(bench, 'U0SAM', ABORT);
      await eventually(() => done(bench).length === 2);
      const request = { cluster: 'staging', run: RUN_ID, actor: SAM, requestId: 'asked' };
      expect(done(bench)).toEqual([
        { what: 'abort', request },
        { what: 'abort', request },
      ]);
    });
  });

  test.each([
    ['start', START],
    ['rollback', ROLLBACK],
  ])('%s: not where another run has begun since, whether or not it goes on', async (_name, deed) => {
    for (const isOpen of [true, false])
      await withHttp(
        async (bench) => {
          await press(bench, 'U0SAM', deed);
          expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(
            'Another run of staging has begun since you were asked, so nothing was started. Check "/eks-upgrade status staging", then type the command again.',
          );
          expect(done(bench)).toEqual([]);
        },
        { upgrades: { newestRun: () => Promise.resolve({ runId: 'newer', isOpen }) } },
      );
  });
});

describe('U8: a refusal says whom to ask', () => {
  const reply = {
    accepted: false,
    message: 'You are not among the approvers of this cluster (approvals in belay.yaml).',
    ask: { users: ['U0SAM', 'not an id'], groups: ['S0PLATFORM'] },
  };
  const refusing = () => Promise.resolve({ reply, how: 'answered' as const });
  const told = `${reply.message} Ask <!subteam^S0PLATFORM> or <@U0SAM>.`;

  test.each(['pause', 'resume', 'extend', 'handover'])('%s: in words that only the clicker sees', async (verb) => {
    const upgrades = { ...failing, pause: refusing, resume: refusing, extend: refusing, handOver: refusing };
    const rest: Record<string, string> = { extend: ' 2h', handover: ' U0RIN' };
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${verb} staging${rest[verb] ?? ''}`);
      await eventually(() => bench.seenBy('U0ALEX').length > 0);
      expect(bench.slack.messages().map(({ ephemeralTo, text }) => [ephemeralTo, text])).toEqual([['U0ALEX', told]]);
    });
  });

  test('after a question, in its place', async () => {
    await withApp({ upgrades: { ...open, abort: refusing } }, async (bench) => {
      await typeAndConfirm(bench, 'U0ALEX', 'abort staging', 'Abort the upgrade of staging?');
      await eventually(() => bench.seenBy('U0ALEX')[0] === told);
      expect(bench.slack.messages().map(({ ephemeralTo }) => ephemeralTo)).toEqual(['U0ALEX']);
    });
  });

  test('nobody is named to people whose cluster it is not', async () => {
    await withApp({ upgrades: { pause: refusing } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade pause elsewhere');
      expect(await eventually(() => bench.seenBy('U0ALEX')[0])).not.toContain('S0PLATFORM');
    });
  });

  test.each([
    [{ users: [], groups: [] }, ''],
    [{ users: ['U1'], groups: [] }, '<@U1>'],
    [{ users: ['U1', 'U2'], groups: ['S1'] }, '<!subteam^S1>, <@U1> or <@U2>'],
    [{ users: ['U1', 'U2', 'U3', 'U4', 'U5', 'U6'], groups: ['S1'] }, '<!subteam^S1>, <@U1>, <@U2>, <@U3>, <@U4> or 2 more'],
    // Without Slack people have names, and these mention nobody.
    [{ users: ['sam', 'rin.o'], groups: [] }, 'sam or rin.o'],
    [{ users: ['<!channel>', 'U1|x'], groups: ['here'] }, ''],
  ])('%j', (who, expected) => {
    expect(oneOf(who)).toBe(expected);
  });
});

describe('U6: nothing is asked that could not be done', () => {
  test.each<[string, Partial<Upgrades>, string]>([
    ['abort staging', {}, 'No upgrade of staging is running, so there is nothing to abort.'],
    ['abort staging', ended, 'No upgrade of staging is running, so there is nothing to abort.'],
    [
      'start staging 1.32',
      open,
      'staging is already being upgraded to 1.32 (The control plane moves to 1.32), requested by alex at <!date^1772539200^{time} {date_short_pretty}|2026-03-03 12:00 UTC>. See "/eks-upgrade status staging".',
    ],
    ['start staging', {}, 'Which version? Type /eks-upgrade start staging 1.33'],
  ])('%s', async (text, upgrades, expected) => {
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
      expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(expected);
      expect(JSON.stringify(bench.slack.messages())).not.toContain('question/');
    });
  });

  test('a run that has told its end, and closes in a moment, holds up nothing', async () => {
    const closing: Partial<Upgrades> = {
      ...open,
      status: () => Promise.resolve({ source: 'workflow', status: status({ endedAt: '2026-03-03T13:00:00Z' }) }),
    };
    await withApp({ upgrades: closing }, async (bench) => {
      await typeAndConfirm(bench, 'U0SAM', 'start staging 1.33', 'Start the upgrade of staging to 1.33?');
      await eventually(() => done(bench).length === 1);
    });
  });

  test('without a worker an abort and a skip say what Temporal knows, and are kept for it', async () => {
    const seen = {
      workflowId: WORKFLOW_ID,
      runId: RUN_ID,
      cluster: 'staging',
      target: '1.32',
      execution: 'RUNNING',
      startedAt: '2026-03-03T12:00:00Z',
      waitingFor: FAILED,
    };
    const blind: Partial<Upgrades> = {
      ...open,
      status: () => Promise.resolve({ source: 'visibility', status: seen, why: 'No worker answered.' }),
    };
    await withApp({ upgrades: blind }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade abort staging');
      const abort = wordsOf(bench, await question(bench, 'U0SAM', 'Abort the upgrade of staging?'));
      expect(abort[1]).toMatch(/^\*staging\* → 1\.32: running, waiting for failed:control-plane@1\.32#2, since /);
      expect(abort[2]).toContain('An abort cannot be undone.');
      expect(abort[3]).toBe('No worker answered.');
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade skip staging by hand');
      const ts = await question(bench, 'U0SAM', `Skip this step of staging? ${FAILED}`);
      expect(wordsOf(bench, ts)[1]).toContain(`Could not read gate ${FAILED}: No worker answered.`);
      await bench.slack.click('U0SAM', ts, 'question/does');
      await eventually(() => done(bench).length === 1);
      expect(done(bench)[0]?.request).toMatchObject({ gateId: FAILED, run: RUN_ID, revision: 1, choice: 'skip', reason: 'by hand' });
    });
  });

  test('a reason that would be cut in the button is refused', async () => {
    await withApp({ upgrades: failing }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade skip staging ${'\u0001'.repeat(400)}`);
      expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(
        'Nothing was done: the reason is too long for a button. Write a shorter one.',
      );
    });
  });

  test('while Temporal is away the question waits, as the press does', async () => {
    let looks = 0;
    const newestRun = (): Promise<{ runId: string; isOpen: boolean }> => {
      looks += 1;
      return looks === 1
        ? Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.'))
        : Promise.resolve({ runId: RUN_ID, isOpen: true });
    };
    await withApp({ upgrades: { newestRun }, options: { keepTryingMs: 60_000 } }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade abort staging');
      await question(bench, 'U0SAM', 'Abort the upgrade of staging?');
      expect(bench.seenBy('U0SAM')[0]).toBe('Temporal does not answer. Belay keeps trying for 1 min; you do not need to press again.');
    });
  });
});
