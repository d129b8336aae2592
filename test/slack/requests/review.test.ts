/** Review: a gate opened from the App Home or from the list of what waits, and decided there for exactly what it shows. */
import { describe, expect, test } from 'vitest';
import type { View } from '../../../rehearsal/neighbours/slack/views.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { type StatusAnswer, type Upgrades, UpgradesError, type VisibilityStatus } from '../../../client/upgrades-client.ts';
import type { CampaignStatus } from '../../../client/campaigns/campaigns.ts';
import type { OpenGate } from '../../../domain/gates/gate.ts';
import { initialState } from '../../../domain/run/campaign/state.ts';
import { createNotifier } from '../../../slack/delivery/notifier.ts';
import { eventually } from '../../support/eventually.ts';
import { CAMPAIGN_PLAN } from '../campaign-fixture.ts';
import { open, RUN_ID, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { BASE, type Bench, CHANNEL, withApp } from '../support.ts';

const RUNNING: VisibilityStatus = {
  workflowId: WORKFLOW_ID,
  runId: RUN_ID,
  cluster: 'staging',
  target: '1.32',
  waitingFor: 'before:control-plane@1.32#1',
  execution: 'RUNNING',
  startedAt: '2026-03-03T12:00:00Z',
};
const STEP = `${WORKFLOW_ID}/control-plane@1.32`;
const GATE: OpenGate & { workflowId: string } = {
  id: 'before:control-plane@1.32#1',
  title: 'Move the control plane to 1.32?',
  choices: ['approve', 'reject'],
  offers: [
    { label: 'Approve', does: 'Moves it.', style: 'primary' },
    { label: 'Reject', does: 'Stops the upgrade.', style: 'danger', needsReason: true },
  ],
  expiresAt: '2026-03-04T12:00:00.000Z',
  revision: 3,
  planHash: 'a1b2c3d4e5f6a7b8',
  next: 'EKS moves the control plane to 1.32.',
  evidence: [{ title: 'UNKNOWN', lines: ['Prometheus does not answer'] }],
  undo: 'For seven days EKS takes it back.',
  progress: 'approvers 0 of 1',
  workflowId: STEP,
};
const BOUND = {
  gateId: GATE.id,
  workflowId: STEP,
  revision: 3,
  run: RUN_ID,
  planHash: GATE.planHash,
  actor: { kind: 'slack', id: 'U0SAM', name: 'sam' },
};

/** A run whose gates a test changes while it runs. */
function running(gates: (typeof GATE)[] = [GATE], more: Partial<Upgrades> = {}) {
  const world = { gates, runId: RUN_ID };
  const upgrades: Partial<Upgrades> = {
    list: () => Promise.resolve([RUNNING]),
    status: () => Promise.resolve<StatusAnswer>({ source: 'workflow', status: status({ state: 'waiting', ...world }) }),
    decide: ({ choice }) => {
      world.gates = [];
      return Promise.resolve({ reply: { accepted: true, message: `Recorded: ${choice}.` }, how: 'answered' });
    },
    ...more,
  };
  return { world, upgrades };
}

const homeText = ({ slack }: Bench, user = 'U0SAM'): string => JSON.stringify(slack.home(user)?.blocks ?? []);
const homeShows = async (bench: Bench, text: string, user = 'U0SAM'): Promise<void> =>
  void (await eventually(`the Home shows ${text}`, () => homeText(bench, user).includes(text)));
const top = ({ slack }: Bench, user = 'U0SAM'): View | undefined => slack.openViews(user).at(-1);
const modalShows = async (bench: Bench, text: string, user = 'U0SAM'): Promise<View> =>
  await eventually(`the modal shows ${text}`, () => {
    const view = top(bench, user);
    return JSON.stringify(view ?? '').includes(text) ? view : undefined;
  });
const decisions = ({ asked }: Bench): unknown[] => asked.filter(({ what }) => what === 'decide').map(({ request }) => request);

/** Opens the Home of Sam, and the first gate that waits for her. */
async function review(bench: Bench, user = 'U0SAM', button = 'review/open/mine-0'): Promise<void> {
  expect(await bench.slack.openHome(user)).toBe('acked');
  await homeShows(bench, 'As of', user);
  expect(await bench.slack.pressInView(user, bench.slack.home(user)?.id ?? '', button)).toBe('acked');
}

const press = async (bench: Bench, choice: string): Promise<void> => {
  const view = top(bench);
  expect(await bench.slack.pressInView('U0SAM', view?.id ?? '', `review/choose/${choice}`)).toBe('acked');
};

describe('U3: Review on the App Home', () => {
  test('opens the gate as its message has it; its button decides for exactly that, and the Home is published anew', async () => {
    await withApp(running(), async (bench) => {
      await review(bench);
      const shown = JSON.stringify((await modalShows(bench, GATE.title)).blocks);
      for (const part of [
        'Decide by',
        '2026-03-04 12:00 UTC',
        GATE.next,
        'UNKNOWN',
        'Prometheus does not answer',
        GATE.undo,
        'Reject*: Stops',
        'approvers 0 of 1',
      ])
        expect(shown).toContain(part);
      expect(homeText(bench)).toContain('"Waiting for you (1)"');
      expect(decisions(bench)).toEqual([]);
      await press(bench, 'approve');
      const result = await modalShows(bench, 'Recorded: approve.');
      expect(decisions(bench)).toEqual([expect.objectContaining({ ...BOUND, choice: 'approve' })]);
      // What it was about, and nothing left to press.
      expect(JSON.stringify(result.blocks)).toContain(GATE.title);
      expect(JSON.stringify(result.blocks)).not.toContain('review/choose');
      await homeShows(bench, 'Nothing is waiting for you.');
    });
  });

  test('a choice that needs a reason has a form for it, over the gate, which then says what was recorded', async () => {
    await withApp(running(), async (bench) => {
      await review(bench);
      await modalShows(bench, GATE.title);
      await press(bench, 'reject');
      const form = await modalShows(bench, 'Why?');
      expect(JSON.stringify(form.blocks)).toContain('Stops the upgrade.');
      expect(bench.slack.openViews('U0SAM')).toHaveLength(2);
      expect((await bench.slack.submitView('U0SAM', form.id, { reason: '   ' })).errors).toEqual({ reason: expect.any(String) });
      expect(decisions(bench)).toEqual([]);
      expect((await bench.slack.submitView('U0SAM', form.id, { reason: 'the freeze begins tonight' })).closed).toBe(true);
      await modalShows(bench, 'Recorded: reject.');
      expect(bench.slack.openViews('U0SAM')).toHaveLength(1);
      expect(decisions(bench)).toEqual([expect.objectContaining({ ...BOUND, choice: 'reject', reason: 'the freeze begins tonight' })]);
      await homeShows(bench, 'Nothing is waiting for you.');
    });
  });

  test('is there at once, and filled in when the run has answered', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>();
    const { upgrades } = running();
    const statusOf = upgrades.status;
    let slow = false;
    upgrades.status = async (cluster) => {
      if (slow) await held;
      return await statusOf!(cluster);
    };
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.openHome('U0SAM');
      await homeShows(bench, 'As of');
      slow = true;
      await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'review/open/mine-0');
      await modalShows(bench, 'Reading the gate…');
      go();
      await modalShows(bench, GATE.title);
    });
  });

  test('two presses on the same modal are one vote', async () => {
    await withApp(running(), async (bench) => {
      await review(bench);
      const { id } = await modalShows(bench, GATE.title);
      await Promise.all([1, 2].map(() => bench.slack.pressInView('U0SAM', id, 'review/choose/approve')));
      await modalShows(bench, 'Recorded: approve.');
      await homeShows(bench, 'Nothing is waiting for you.');
      expect(decisions(bench)).toHaveLength(1);
    });
  });

  test('who has used up their commands still votes', async () => {
    await withApp(running(), async (bench) => {
      await review(bench);
      await modalShows(bench, GATE.title);
      for (let count = 0; count < 25; count += 1) await bench.slack.submitCommand('U0SAM', '/eks-upgrade help');
      await eventually('the limit is told', () => bench.seenBy('U0SAM').some((text) => text.includes('Try again in')));
      await press(bench, 'approve');
      await modalShows(bench, 'Recorded: approve.');
    });
  });

  test('a gate that was decided while the modal was open is told there', async () => {
    const message = `Gate ${GATE.id} was already decided: approve by rin at 2026-03-03T12:06:00.000Z.`;
    const decide: Upgrades['decide'] = () => Promise.resolve({ reply: { accepted: false, message }, how: 'answered' });
    await withApp(running([GATE], { decide }), async (bench) => {
      await review(bench);
      await modalShows(bench, GATE.title);
      await press(bench, 'approve');
      // In the reader's own time zone.
      await modalShows(bench, 'was already decided: approve by rin at <!date^1772539560^');
    });
  });

  test('a gate whose step has ended, and Temporal that does not answer, are told in the modal', async () => {
    const decide: Upgrades['decide'] = () => Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.'));
    await withApp(running([GATE], { decide }), async (bench) => {
      await review(bench);
      await modalShows(bench, GATE.title);
      await press(bench, 'approve');
      await modalShows(bench, 'Temporal does not answer. Nothing was recorded: press again later.');
    });
  });

  test.each<[string, (world: ReturnType<typeof running>['world']) => void]>([
    ['that is closed by now', (world) => void (world.gates = [])],
    ['of an earlier run', (world) => void (world.runId = 'another')],
  ])('a gate %s: told, with its thread, and nothing to press', async (_name, change) => {
    const { world, upgrades } = running();
    await withApp({ upgrades }, async (bench) => {
      const notifier = createNotifier({ web: bench.web });
      await notifier.publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: { kind: 'board', status: status() } });
      const gate = { kind: 'gate', state: open(), ...BASE } as const;
      const { ts } = await notifier.publish({ upgrade: UPGRADE, channel: CHANNEL, key: `gate/${GATE.id}`, notification: gate });
      await bench.slack.openHome('U0SAM');
      await homeShows(bench, 'As of');
      change(world);
      await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'review/open/mine-0');
      const shown = JSON.stringify((await modalShows(bench, 'This gate is no longer open')).blocks);
      expect(shown).toContain(`p${ts.replace('.', '')}`);
      expect(shown).not.toContain('review/choose');
    });
  });

  test.each<[string, Upgrades['status'], string]>([
    [
      'without a worker',
      () => Promise.resolve<StatusAnswer>({ source: 'visibility', status: RUNNING, why: 'No worker answers.' }),
      'Could not read what staging waits for, so nothing was decided: No worker answers.',
    ],
    [
      'without Temporal',
      () => Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.')),
      'Could not read what staging waits for, so nothing was decided: Temporal does not answer.',
    ],
    [
      'of a run that has ended',
      () => Promise.reject(new UpgradesError('not-running', 'No upgrade of staging is known.')),
      'This gate is no longer open',
    ],
  ])('%s nothing is shown to decide about', async (_when, away, expected) => {
    const { upgrades } = running();
    const known = upgrades.status!;
    let isAway = false;
    upgrades.status = (cluster) => (isAway ? away(cluster) : known(cluster));
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.openHome('U0SAM');
      await homeShows(bench, 'As of');
      isAway = true;
      await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'review/open/mine-0');
      expect(JSON.stringify(await modalShows(bench, expected))).not.toContain('review/choose');
    });
  });

  test('a modal that Slack does not open in time is told on the Home', async () => {
    await withApp(running(), async (bench) => {
      bench.slack.failNext('views.open', { error: 'expired_trigger_id', times: 1 });
      await review(bench);
      await homeShows(bench, 'The form with the gate could not be opened in time. Press the button again.');
    });
  });

  test('whoever closes the modal before the answer is there finds it on the Home', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>();
    const decide: Upgrades['decide'] = async () => {
      await held;
      return { reply: { accepted: false, message: 'Only @platform may approve.' }, how: 'answered' };
    };
    await withApp(running([GATE], { decide }), async (bench) => {
      await review(bench);
      const { id } = await modalShows(bench, GATE.title);
      await press(bench, 'approve');
      await eventually('it is asked for', () => decisions(bench).length === 1);
      await bench.slack.closeView('U0SAM', id);
      go();
      await homeShows(bench, 'Only @platform may approve.');
      // It stays there: the Home was read when it was opened and for this answer, and no more.
      for (const count of [1, 2, 3]) {
        await bench.slack.submitCommand('U0SAM', '/eks-upgrade help');
        await eventually('a later request is answered', () => bench.seenBy('U0SAM').length === count);
      }
      expect(bench.asked.filter(({ what }) => what === 'list')).toHaveLength(2);
    });
  });

  /** Only Sam is in the channel of staging, until that moves to another one. */
  function moving() {
    const [own, general] = WORKSPACE.channels;
    const channels = [
      { ...own!, people: ['U0SAM'] },
      { ...general!, people: ['U0RIN'] },
    ];
    const now = { channel: '#eks-upgrades' };
    const clusters = { channelOf: (name: string) => (name === 'staging' ? now.channel : 'general') };
    return { now, clusters, server: { workspace: { ...WORKSPACE, channels } } };
  }

  test('who is not in the channel of the cluster any more decides nothing', async () => {
    const { now, ...options } = moving();
    await withApp({ ...running(), ...options }, async (bench) => {
      await review(bench);
      await modalShows(bench, GATE.title);
      now.channel = 'C0GENERAL';
      await press(bench, 'approve');
      await modalShows(bench, 'Nothing was done: you are not in the channel of staging.');
      expect(decisions(bench)).toEqual([]);
    });
  });

  test('who is not in the channel of the cluster any more sees nothing of the gate', async () => {
    const { now, ...options } = moving();
    await withApp({ ...running(), ...options }, async (bench) => {
      await bench.slack.openHome('U0SAM');
      await homeShows(bench, 'As of');
      now.channel = 'C0GENERAL';
      await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'review/open/mine-0');
      expect(JSON.stringify(await modalShows(bench, 'you are not in the channel of staging'))).not.toContain(GATE.title);
    });
  });

  test('who has become a guest since the gate was shown decides nothing', async () => {
    const sam = { ...WORKSPACE.people.find(({ id }) => id === 'U0SAM')!, standing: {} };
    const people = [...WORKSPACE.people.filter(({ id }) => id !== sam.id), sam];
    await withApp({ ...running(), server: { workspace: { ...WORKSPACE, people } } }, async (bench) => {
      await review(bench);
      await modalShows(bench, GATE.title);
      sam.standing = { guest: 'multi-channel' };
      await press(bench, 'approve');
      await modalShows(bench, 'Guests of the workspace may not do that');
      expect(decisions(bench)).toEqual([]);
    });
  });

  test('only who is asked has the button; who has voted reviews to take the vote back', async () => {
    const voted = { ...GATE, voted: ['U0SAM'], progress: 'approvers 1 of 2', revision: 4 };
    await withApp(running([voted]), async (bench) => {
      await bench.slack.openHome('U0EVE');
      await homeShows(bench, 'As of', 'U0EVE');
      expect(homeText(bench, 'U0EVE')).toContain(GATE.title);
      expect(homeText(bench, 'U0EVE')).not.toContain('review/open');
      await review(bench, 'U0SAM', 'review/open/others-0');
      expect(JSON.stringify(await modalShows(bench, GATE.title))).toContain('approvers 1 of 2 · voted: <@U0SAM>');
      await press(bench, 'withdraw-vote');
      await modalShows(bench, 'Recorded: withdraw-vote.');
      expect(decisions(bench)).toEqual([expect.objectContaining({ choice: 'withdraw-vote', revision: 4, run: RUN_ID })]);
    });
  });

  test('a gate with more to say than a modal holds keeps its buttons, and says that there is more', async () => {
    const long = Array.from({ length: 40 }, (_, index) => ({
      title: `Group ${index}`,
      lines: Array.from({ length: 60 }, (__, line) => `line ${line} ${'x'.repeat(380)}`),
    }));
    await withApp(running([{ ...GATE, evidence: long }]), async (bench) => {
      await review(bench);
      const { blocks } = await modalShows(bench, GATE.title);
      expect(blocks).toHaveLength(100);
      expect(JSON.stringify(blocks.at(-1))).toContain('review/choose/approve');
      expect(JSON.stringify(blocks)).toContain('The thread has the rest.');
    });
  });

  test('the gate of a campaign is decided for its first run, whose message it is', async () => {
    const ring: OpenGate = { ...GATE, id: 'ring:dev@1.34#1', title: 'Start ring dev?' };
    const { workflowId: _workflowId, ...gate } = { workflowId: '', ...ring };
    const campaignOf = async (): Promise<CampaignStatus> => ({
      workflowId: 'eks-campaign/to-1-34',
      runId: 'run-of-today',
      firstRunId: 'run-of-monday',
      requestedBy: { kind: 'slack', id: 'U0ALEX' },
      startedAt: '2026-11-26T09:00:00.000Z',
      plan: CAMPAIGN_PLAN,
      state: initialState(CAMPAIGN_PLAN),
      gates: [gate],
    });
    await withApp({ campaigns: { status: campaignOf } }, async (bench) => {
      await review(bench);
      await modalShows(bench, 'Start ring dev?');
      await press(bench, 'approve');
      await eventually('it is decided', () => decisions(bench).length === 1);
      expect(decisions(bench)).toEqual([
        expect.objectContaining({ workflowId: 'eks-campaign/to-1-34', run: 'run-of-monday', gateId: ring.id, choice: 'approve' }),
      ]);
    });
  });
});

describe('U3: Review in the list of what waits', () => {
  const other = { ...GATE, id: 'before:karpenter@1.32#1', title: 'Replace the nodes?', expiresAt: '2026-03-05T12:00:00.000Z' };

  async function list(bench: Bench): Promise<void> {
    await bench.slack.openHome('U0SAM');
    await homeShows(bench, 'As of');
    await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'home/needs');
    await modalShows(bench, other.title);
    expect(top(bench)?.['title']).toMatchObject({ text: 'Needs you (2)' });
  }

  test('opens over the list; the reason over it; afterwards the list has one gate less', async () => {
    const { world, upgrades } = running([GATE, other]);
    upgrades.decide = () => {
      world.gates = [GATE];
      return Promise.resolve({ reply: { accepted: true, message: 'Recorded: reject.' }, how: 'answered' });
    };
    await withApp({ upgrades, campaigns: { list: () => Promise.resolve([]) } }, async (bench) => {
      await list(bench);
      await bench.slack.pressInView('U0SAM', top(bench)?.id ?? '', 'review/open/1');
      await modalShows(bench, 'UNKNOWN');
      expect(JSON.stringify(top(bench))).toContain(other.title);
      await press(bench, 'reject');
      const form = await modalShows(bench, 'Why?');
      expect(JSON.stringify(form.blocks)).toContain('Stops the upgrade.');
      // As many as Slack stacks.
      expect(bench.slack.openViews('U0SAM')).toHaveLength(3);
      await bench.slack.submitView('U0SAM', form.id, { reason: 'too early' });
      const result = await modalShows(bench, 'Recorded: reject.');
      expect(decisions(bench)).toEqual([expect.objectContaining({ gateId: other.id, choice: 'reject', reason: 'too early' })]);
      await eventually('the list is read anew', () => JSON.stringify(bench.slack.openViews('U0SAM')[0]).includes('Needs you (1)'));
      await bench.slack.closeView('U0SAM', result.id);
      expect(JSON.stringify(top(bench))).not.toContain(other.title);
    });
  });
});
