/** The App Home: what waits for the one who looks comes first; what could not be read is said. */
import { describe, expect, test } from 'vitest';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { createNotifier } from '../../../slack/delivery/notifier.ts';
import { type Upgrades, UpgradesError, type VisibilityStatus } from '../../../client/upgrades-client.ts';
import { open, RUN_ID, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { BASE, type Bench, CHANNEL, CLUSTERS, withApp } from '../support.ts';

const GATE_ID = 'before:control-plane@1.32#1';
const RUNNING: VisibilityStatus = {
  workflowId: WORKFLOW_ID,
  runId: RUN_ID,
  cluster: 'staging',
  target: '1.32',
  waitingFor: GATE_ID,
  execution: 'RUNNING',
  startedAt: '2026-03-03T12:00:00Z',
};
const gates = [
  {
    id: GATE_ID,
    title: 'Move the control plane to 1.32?',
    choices: ['approve', 'reject'],
    expiresAt: '2026-03-04T12:05:00Z',
    workflowId: WORKFLOW_ID,
    progress: 'approvers 0 of 1',
  },
];
const waiting: Partial<Upgrades> = {
  list: () => Promise.resolve([RUNNING]),
  status: () => Promise.resolve({ source: 'workflow', status: status({ state: 'waiting', gates }) }),
};

/** The text of what somebody sees, once it shows `text`. */
async function homeOf({ slack }: Bench, user: string, text: string): Promise<string> {
  expect(await slack.openHome(user)).toBe('acked');
  return await eventually(() => {
    const shown = JSON.stringify(slack.home(user)?.blocks ?? []);
    return shown.includes(text) ? shown : undefined;
  });
}

describe('the App Home', () => {
  test('RS16: shows the clusters of channels that one is in, and no others; one that cannot be read is not shown', async () => {
    const [own, general] = WORKSPACE.channels;
    if (own === undefined || general === undefined) throw new Error('no channels');
    const workspace = {
      ...WORKSPACE,
      channels: [
        { ...own, people: ['U0SAM'] },
        { ...general, people: ['U0RIN'], botIsMember: true },
      ],
    };
    await withApp({ upgrades: waiting, server: { workspace } }, async (bench) => {
      const sam = await homeOf(bench, 'U0SAM', '1.31');
      expect(sam).toContain('Move the control plane to 1.32?');
      expect(sam).not.toContain('elsewhere');
      const rin = await homeOf(bench, 'U0RIN', '1.31');
      expect(rin).toContain('elsewhere');
      expect(rin).not.toContain('staging');
    });
  });

  test('what waits for the one who looks comes first, with a link to its message', async () => {
    await withApp({ upgrades: waiting }, async (bench) => {
      const notifier = createNotifier({ web: bench.web });
      await notifier.publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: { kind: 'board', status: status() } });
      const gate = { kind: 'gate', state: open(), ...BASE } as const;
      const { ts } = await notifier.publish({ upgrade: UPGRADE, channel: CHANNEL, key: `gate/${GATE_ID}`, notification: gate });
      // Sam is of the group that approves; Eve is not; Alex has asked for the upgrade.
      const sam = await homeOf(bench, 'U0SAM', '"Waiting for you (1)"');
      expect(sam).toContain('Move the control plane to 1.32?');
      expect(sam).toContain(`/archives/${CHANNEL}/p${ts.replace('.', '')}?thread_ts=`);
      expect(sam.indexOf('Waiting for you')).toBeLessThan(sam.indexOf('Running upgrades'));
      for (const user of ['U0EVE', 'U0ALEX']) {
        const other = await homeOf(bench, user, '"Waiting for others (1)"');
        expect(other).toContain('Nothing is waiting for you.');
      }
    });
  });

  test('a freeze that has outlived its run waits for who may decide on it, though nothing runs', async () => {
    const kept = { ...waiting, listAll: () => Promise.resolve({ runs: [], keptFreezes: [RUNNING] }) };
    await withApp({ upgrades: kept }, async (bench) => {
      const sam = await homeOf(bench, 'U0SAM', '"Waiting for you (1)"');
      expect(sam).toContain('Move the control plane to 1.32?');
      expect(sam).not.toContain('Running upgrades (');
      await homeOf(bench, 'U0EVE', '"Waiting for others (1)"');
    });
  });

  const gateChanged = (change: object): Partial<Upgrades> => ({
    ...waiting,
    status: () =>
      Promise.resolve({ source: 'workflow', status: status({ state: 'waiting', gates: gates.map((gate) => ({ ...gate, ...change })) }) }),
  });

  test('a gate where one has voted waits for others; theirs is still open', async () => {
    await withApp({ upgrades: gateChanged({ voted: ['U0SAM'], progress: '1 of 2 approvals' }) }, async (bench) => {
      const sam = await homeOf(bench, 'U0SAM', '"Waiting for others (1)"');
      expect(sam).toContain('1 of 2 approvals · you have voted');
      expect(sam).toContain('Nothing is waiting for you.');
      expect(await homeOf(bench, 'U0RIN', '"Waiting for you (1)"')).not.toContain('you have voted');
    });
  });

  test.each<[string, string, object, string]>([
    ['before its time', '2199-01-01T00:00:00Z', {}, '"Waiting for others (1)"'],
    ['once its time has come', '2020-01-02T00:00:00Z', {}, '"Waiting for you (1)"'],
    ['not for what continues by itself', '2020-01-02T00:00:00Z', { byItself: true }, '"Waiting for others (1)"'],
  ])('whom a gate is escalated to is asked as well, %s', async (_when, expiresAt, change, expected) => {
    const escalation = { users: ['U0EVE'], groups: [], after: 0.5 };
    const clusters = { ...CLUSTERS, approvalsOf: () => ({ ...CLUSTERS.approvalsOf('staging'), escalation }) };
    const upgrades = gateChanged({ openedAt: '2020-01-01T00:00:00Z', expiresAt, ...change });
    await withApp({ upgrades, options: { clusters } }, async (bench) => {
      await homeOf(bench, 'U0EVE', expected);
    });
  });

  test('what continues by itself waits for nobody; who handed the upgrade over is not asked either', async () => {
    await withApp({ upgrades: gateChanged({ byItself: true }) }, async (bench) => {
      await homeOf(bench, 'U0SAM', '"Waiting for others (1)"');
    });
    const formerly = [{ kind: 'slack' as const, id: 'U0SAM' }];
    const upgrades: Partial<Upgrades> = {
      ...waiting,
      status: () => Promise.resolve({ source: 'workflow', status: status({ state: 'waiting', gates, formerly }) }),
    };
    await withApp({ upgrades }, async (bench) => {
      await homeOf(bench, 'U0SAM', '"Waiting for others (1)"');
      await homeOf(bench, 'U0RIN', '"Waiting for you (1)"');
    });
  });

  test('a run says how much work is left of it, as far as can be expected', async () => {
    await withApp({ upgrades: waiting }, async (bench) => {
      expect(await homeOf(bench, 'U0EVE', 'Running upgrades (1)')).toMatch(/\d of 3 steps done, about \d+ min of work left: /);
    });
  });

  test('versions stand with the end of their support, the oldest first; one that cannot be read says why', async () => {
    const versions: Upgrades['versions'] = () =>
      Promise.resolve({
        readAt: '2026-03-03T12:00:00Z',
        clusters: [
          { name: 'new', version: '1.34' },
          { name: 'dark', why: 'AccessDenied' },
          { name: 'old', version: '1.30' },
          { name: 'soon', version: '1.32' },
        ],
        offered: [],
      });
    const clusters = { names: () => ['new', 'dark', 'old', 'soon'], channelOf: () => '#eks-upgrades' };
    await withApp({ upgrades: { versions }, clusters }, async (bench) => {
      const shown = await homeOf(bench, 'U0SAM', 'AccessDenied');
      expect(shown).toContain('*old* 1.30 🟠 extended support until 2026-07-23');
      expect(shown).toContain('*soon* 1.32 🟡 standard support until 2026-03-23, 20 days left');
      expect(shown).toContain('*new* 1.34 🟢 standard support until 2026-12-02');
      const places = ['*old*', '*soon*', '*new*', '*dark*'].map((name) => shown.indexOf(name));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      // Everybody who looks shares one answer, until somebody asks for another.
      await homeOf(bench, 'U0RIN', '*old*');
      expect(bench.asked.filter(({ what }) => what === 'versions')).toHaveLength(1);
      const home = bench.slack.home('U0SAM');
      await bench.slack.pressInView('U0SAM', home?.id ?? '', 'home/refresh');
      await eventually(() => bench.asked.filter(({ what }) => what === 'versions').length === 2);
    });
  });

  test('without a worker, and without Temporal, it says what it does not know', async () => {
    const blind: Partial<Upgrades> = {
      list: () => Promise.resolve([RUNNING]),
      status: () => Promise.resolve({ source: 'visibility', status: RUNNING, why: 'No worker answered.' }),
      versions: () => Promise.reject(new UpgradesError('no-worker', 'No worker answers on task queue belay.')),
    };
    await withApp({ upgrades: blind }, async (bench) => {
      const shown = await homeOf(bench, 'U0SAM', 'Could not read the versions: No worker answers on task queue belay.');
      expect(shown).toContain(`waiting for ${GATE_ID} (no worker answers)`);
    });
    await withApp(
      { upgrades: { list: () => Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.')) } },
      async (bench) => {
        await homeOf(bench, 'U0SAM', '⚠ Temporal does not answer.');
      },
    );
  });

  test('O14: workers with versions of which none is Current are told, with the command', async () => {
    const command = 'temporal worker deployment set-current-version --deployment-name belay --build-id v2 --namespace default';
    const standstill = (): Promise<string> =>
      Promise.resolve(`Workers get no runs, because deployment belay has no Current version. Set it: ${command}`);
    await withApp({ upgrades: { ...waiting, standstill } }, async (bench) => {
      expect(await homeOf(bench, 'U0SAM', '⚠ Workers get no runs')).toContain(command);
    });
  });

  test('a group that cannot be read is said, since gates may be missing', async () => {
    await withApp({ upgrades: waiting }, async (bench) => {
      bench.slack.failNext('usergroups.users.list', { status: 500, times: 5 });
      await homeOf(bench, 'U0SAM', 'Could not read user group S0PLATFORM');
    });
  });

  test('a group that cannot be read is asked for once, however many gates it may decide at', async () => {
    const second = { ...gates[0]!, id: 'before:karpenter@1.32#1', title: 'Replace the nodes?' };
    const upgrades: Partial<Upgrades> = {
      ...waiting,
      status: () => Promise.resolve({ source: 'workflow', status: status({ state: 'waiting', gates: [...gates, second] }) }),
    };
    await withApp({ upgrades }, async (bench) => {
      bench.slack.failNext('usergroups.users.list', { error: 'internal_error', times: 1 });
      // What one gate is not known to be, the other is not either.
      const shown = await homeOf(bench, 'U0SAM', '"Waiting for others (2)"');
      expect(shown).toContain('Could not read user group S0PLATFORM');
    });
  });

  test('S7: a guest sees nothing of any cluster', async () => {
    const people = WORKSPACE.people.map((person) => ({ ...person, standing: { guest: 'multi-channel' as const } }));
    await withApp({ upgrades: waiting, server: { workspace: { ...WORKSPACE, people } } }, async (bench) => {
      const shown = await homeOf(bench, 'U0EVE', 'Guests of the workspace may not do that');
      expect(shown).not.toContain('staging');
      expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual([]);
    });
  });

  test('who opens it three times at once is shown it once', async () => {
    let lists = 0;
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const list: Upgrades['list'] = async () => {
      lists += 1;
      await held;
      return [];
    };
    await withApp({ upgrades: { list } }, async (bench) => {
      await Promise.all([1, 2, 3].map(() => bench.slack.openHome('U0ALEX')));
      await eventually(() => lists > 0);
      go();
      await eventually(() => bench.slack.home('U0ALEX')?.blocks !== undefined);
      expect(lists).toBe(1);
    });
  });

  test('opens the form for every cluster of channels that one is in; S26: says so where that came too late', async () => {
    await withApp(
      { options: { clusters: { ...CLUSTERS, names: () => ['staging', 'prod'], channelOf: () => '#eks-upgrades' } } },
      async (bench) => {
        await homeOf(bench, 'U0SAM', 'As of');
        const id = bench.slack.home('U0SAM')?.id ?? '';
        await bench.slack.pressInView('U0SAM', id, 'home/start');
        const view = await eventually(() => bench.slack.openViews('U0SAM').at(-1));
        expect(JSON.stringify(view)).toContain('"value":"prod"');
        bench.slack.failNext('views.open', { error: 'expired_trigger_id', times: 1 });
        await bench.slack.pressInView('U0SAM', id, 'home/start');
        await eventually(() => JSON.stringify(bench.slack.home('U0SAM')).includes('could not be opened in time. Press the button again'));
      },
    );
  });

  test('S7: who has become a guest since the Home was shown starts nothing there', async () => {
    const eve = { id: 'U0EVE', name: 'eve', realName: 'Eve Moss', role: '', standing: {} };
    const people = [...WORKSPACE.people.filter(({ id }) => id !== eve.id), eve];
    await withApp({ server: { workspace: { ...WORKSPACE, people } } }, async (bench) => {
      await homeOf(bench, 'U0EVE', 'As of');
      eve.standing = { guest: 'multi-channel' };
      await bench.slack.pressInView('U0EVE', bench.slack.home('U0EVE')?.id ?? '', 'home/start');
      await eventually(() => JSON.stringify(bench.slack.home('U0EVE')).includes('Guests of the workspace may not do that'));
      expect(bench.slack.openViews('U0EVE')).toEqual([]);
    });
  });

  const versions: Upgrades['versions'] = (names) =>
    Promise.resolve({
      readAt: '2026-03-03T12:00:00Z',
      clusters: names.map((name) => ({ name, version: '1.31' })),
      offered: [{ version: '1.32', status: 'STANDARD_SUPPORT' }],
    });
  /** Channels of staging and of another cluster; who is in the first one. */
  const inFirst = (people: string[]) => {
    const [own, general] = WORKSPACE.channels;
    const channels = [
      { ...own!, people },
      { ...general!, people: ['U0RIN'], botIsMember: true },
    ];
    return { ...WORKSPACE, channels };
  };

  test.each([
    ['is started by who is in its channel', false, 'Started: staging'],
    ['that has another channel by now is not', true, 'Nothing was done: you are not in the channel of staging.'],
  ])('a cluster chosen in the form of the Home %s', async (_what, moves, expected) => {
    let moved = false;
    const channelOf = (name: string): string => (moved || name === 'elsewhere' ? 'general' : '#eks-upgrades');
    await withApp({ upgrades: { versions }, clusters: { channelOf }, server: { workspace: inFirst(['U0SAM']) } }, async (bench) => {
      const shown = (): string => JSON.stringify(bench.slack.openViews('U0SAM').at(-1) ?? '');
      // The answer waits a while for the thread.
      const board = { kind: 'board', status: status() } as const;
      await createNotifier({ web: bench.web }).publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: board });
      await homeOf(bench, 'U0SAM', 'As of');
      await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'home/start');
      await eventually(() => shown().includes('*✅ Ready* for 1.32'));
      moved = moves;
      const form = bench.slack.openViews('U0SAM').at(-1)?.id ?? '';
      await bench.slack.submitView('U0SAM', form, { cluster: 'staging', 'target/staging': '1.32' });
      await eventually(() => shown().includes(expected));
      expect(bench.asked.some(({ what }) => what === 'start')).toBe(!moves);
    });
  });

  test('who is in no channel of a cluster is told which to join, and no form opens', async () => {
    await withApp({ server: { workspace: inFirst([]) } }, async (bench) => {
      await homeOf(bench, 'U0SAM', 'As of');
      await bench.slack.pressInView('U0SAM', bench.slack.home('U0SAM')?.id ?? '', 'home/start');
      await eventually(() => JSON.stringify(bench.slack.home('U0SAM')).includes("You are not in any channel of Belay's clusters."));
      expect(bench.slack.openViews('U0SAM')).toEqual([]);
    });
  });
});
