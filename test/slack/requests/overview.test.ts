/** What is going on in a channel, asked for by whoever types. */
import { expect, test } from 'vitest';
import { UpgradesError } from '../../../client/calls/contract.ts';
import type { VisibilityStatus } from '../../../client/upgrades-client.ts';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { createNotifier } from '../../../slack/delivery/notifier.ts';
import { eventually } from '../../support/eventually.ts';
import { CLUSTER, RUN_ID, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { type Bench, type BenchOptions, CHANNEL, withApp } from '../support.ts';

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
const GATE = {
  id: 'before:control-plane@1.32#1',
  title: 'Move the control plane?',
  choices: ['approve'],
  expiresAt: IN_AN_HOUR,
  progress: '0 of 1 approvals',
  workflowId: WORKFLOW_ID,
};
const RUN: VisibilityStatus = {
  workflowId: WORKFLOW_ID,
  runId: RUN_ID,
  cluster: 'staging',
  execution: 'RUNNING',
  startedAt: '2026-03-03T12:00:00Z',
};
const RUNNING: BenchOptions = {
  upgrades: {
    list: () => Promise.resolve([RUN, { ...RUN, runId: 'other', cluster: 'elsewhere' }]),
    status: () => Promise.resolve({ source: 'workflow', status: status({ gates: [GATE] }) }),
  },
};

const told = async ({ slack }: Bench) => await eventually(() => slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0ALEX'));

const date = (iso: string): string => `<!date^${(Date.parse(iso) / 1000) | 0}^`;

test('U9: status is of the clusters of this channel, each with its thread and who is still needed by when', async () => {
  await withApp(RUNNING, async (bench) => {
    const board = { kind: 'board', status: status() } as const;
    await createNotifier({ web: bench.web }).publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: board });
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade status');
    const { text, blocks } = await told(bench);
    const shown = JSON.stringify(blocks);
    expect(text).toBe('1 upgrade running here');
    expect(shown).toContain('▶ *staging 1.31 → 1.32*: running, The control plane moves to 1.32');
    expect(shown).toMatch(/archives\/C0UPGRADES\/p\d+\|Open its thread>/);
    expect(shown).toContain(`⏳ Move the control plane? Needs 1 of <!subteam^S0PLATFORM> by ${date(IN_AN_HOUR)}`);
    expect(shown).toContain('(so far 0 of 1 approvals)');
    expect(shown).not.toContain('elsewhere');
  });
});

const FROZEN: BenchOptions = {
  upgrades: {
    listAll: () => Promise.resolve({ runs: [], keptFreezes: [RUN, { ...RUN, runId: 'other', cluster: 'elsewhere' }] }),
    status: () =>
      Promise.resolve({
        source: 'workflow',
        status: status({
          state: 'aborted',
          gates: [{ ...GATE, id: 'kept:freeze-drift@1.32#1', title: 'Karpenter drift is frozen on staging: keep it frozen?' }],
        }),
      }),
  },
};

test.each(['/eks-upgrade status', '/eks-upgrade', '/eks-upgrade digest'])(
  'a freeze that has outlived its run is listed by %s, with its gate',
  async (command) => {
    await withApp(FROZEN, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', command);
      const { text, blocks } = await told(bench);
      const shown = JSON.stringify(blocks);
      expect(text).toContain('No upgrade is running here.');
      expect(shown).toContain('❄ *staging 1.31 → 1.32*: the run has ended, drift is frozen until somebody decides · since <!date^');
      expect(shown).toContain(
        `⏳ Karpenter drift is frozen on staging: keep it frozen? Needs 1 of <!subteam^S0PLATFORM> by ${date(IN_AN_HOUR)}`,
      );
      expect(shown).not.toContain('elsewhere');
    });
  },
);

test('U9: a run that no worker answers for is shown as Temporal knows it', async () => {
  const upgrades = { ...RUNNING.upgrades, status: () => Promise.reject(new Error('no worker')) };
  await withApp({ upgrades }, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade status');
    expect(JSON.stringify((await told(bench)).blocks)).toContain('*staging*: running, since <!date^');
  });
});

test('alone, the command lists what runs, with a button for the form; where nothing runs or Temporal is away it opens the form', async () => {
  await withApp(RUNNING, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade');
    const { blocks } = await told(bench);
    expect(JSON.stringify(blocks)).toContain('"action_id":"home/start"');
    expect(bench.slack.openViews('U0ALEX').at(-1)).toBeUndefined();
  });
  for (const list of [() => Promise.resolve([]), () => Promise.reject(new Error('away'))]) {
    await withApp({ upgrades: { list } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade');
      await eventually(() => bench.slack.openViews('U0ALEX').at(-1));
    });
  }
});

const report = (change: Partial<UpgradeReport['status']>): UpgradeReport => ({
  status: status({ state: 'completed', headline: 'All nodes run 1.32.', ...change }),
  outcome: 'completed',
  decisions: [],
  leftBehind: [],
});

test('digest: what has ended since, what waits, and what is due, the next first', async () => {
  const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  const until = new Date(Date.now() + 48 * 3_600_000).toISOString();
  const records = [
    report({ endedAt: ago(2), takeBack: { to: '1.31', until } }),
    report({ endedAt: ago(50), cluster: { ...CLUSTER, name: 'older' } }),
  ];
  const clusters = { recordsOf: () => Promise.resolve(records) };
  await withApp({ ...RUNNING, clusters }, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade digest');
    const shown = JSON.stringify((await told(bench)).blocks);
    expect(shown).toContain('✅ Completed: *staging 1.31 → 1.32*');
    expect(shown).not.toContain('older');
    expect(shown).toMatch(
      /Due.*decide for staging: Move the control plane\?.*last moment to roll the control plane of staging back to 1\.31/,
    );
  });
  await withApp({ clusters }, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade digest 3d');
    expect(JSON.stringify((await told(bench)).blocks)).toContain('*older 1.31 → 1.32*');
  });
});

test('digest: records that cannot be read are no quiet day', async () => {
  await withApp({ clusters: { recordsOf: () => Promise.reject(new Error('the bucket does not answer')) } }, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade digest');
    const shown = JSON.stringify((await told(bench)).blocks);
    expect(shown).toContain('Could not read ended upgrades of staging: the bucket does not answer');
    expect(shown).not.toContain('No upgrade has ended.');
  });
});

/** What the digest of `#eks-upgrades` says beside runs. */
async function digestLines(options: BenchOptions): Promise<string[]> {
  let lines: string[] = [];
  await withApp(options, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade digest');
    const { blocks } = await told(bench);
    lines = (blocks as { text?: { text?: string } }[]).flatMap(({ text }) => text?.text?.split('\n') ?? []);
  });
  return lines.slice(lines.findIndex((line) => /^\*(?:Campaigns|Support)\*$/.test(line)));
}

const versions = (version: string | undefined, endOfStandardSupport: string): BenchOptions['upgrades'] => ({
  versions: (names) =>
    Promise.resolve({
      readAt: '2026-03-03T12:00:00Z',
      clusters: names.map((name) => (version === undefined ? { name, why: 'AWS credentials are missing' } : { name, version })),
      offered: [{ version: '1.31', endOfStandardSupport, endOfExtendedSupport: '2027-03-23' }] as never,
    }),
});

test.each<[string, BenchOptions['upgrades'], string[]]>([
  ['soon', versions('1.31', '2026-03-23'), ['*Support*', '• *staging* 1.31: 🟡 standard support until 2026-03-23, 20 days left']],
  ['long from now', versions('1.31', '2026-12-23'), []],
  ['over', versions('1.31', '2026-01-01'), ['*Support*', '• *staging* 1.31: 🟠 extended support until 2027-03-23']],
  ['not known', versions(undefined, ''), ['*Support*', '❔ Could not read the version of staging: AWS credentials are missing']],
])('digest: standard support that ends: %s', async (_what, upgrades, support) => {
  const lines = await digestLines({
    upgrades: { list: () => Promise.resolve([]), ...upgrades },
    campaigns: { list: () => Promise.resolve([]) },
  });
  expect(lines.filter((line) => /Support|staging\*?:? /.test(line))).toEqual(support);
});

test('digest: the campaigns of this channel, and no others; what cannot be read is not none', async () => {
  const upgrades = { list: () => Promise.resolve([]), ...versions('1.31', '2026-12-23') };
  const open = { upgrades, campaigns: { list: () => Promise.resolve(['to-1-34', 'of-another-channel']) } };
  const lines = await digestLines(open);
  expect(lines[0]).toBe('*Campaigns*');
  expect(lines[1]).toMatch(/^• \*to-1-34\* to 1\.34: 0 of \d clusters done\. /);
  expect(lines.join('\n')).not.toContain('another');
  const unread = { upgrades, campaigns: { list: () => Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.')) } };
  expect(await digestLines(unread)).toEqual(['*Campaigns*', '❔ Could not read campaigns: Temporal does not answer.']);
});

test('U7: more time for the only open gate, without its name; of several each is named', async () => {
  const gates = [GATE];
  const upgrades = { ...RUNNING.upgrades, status: () => Promise.resolve({ source: 'workflow', status: status({ gates }) } as const) };
  await withApp({ upgrades }, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade extend staging 2h');
    const { request } = await eventually(() => bench.asked.find(({ what }) => what === 'extend'));
    expect(request).toMatchObject({ cluster: 'staging', gateId: GATE.id, workflowId: WORKFLOW_ID, byMs: 7_200_000 });
    gates.push({ ...GATE, id: 'failed:node-groups@1.32#1' });
    await bench.slack.submitCommand('U0RIN', '/eks-upgrade extend staging 2h');
    await eventually(() => bench.seenBy('U0RIN').length > 0);
    expect(bench.seenBy('U0RIN')).toEqual([
      'Several gates of staging are open: before:control-plane@1.32#1, failed:node-groups@1.32#1. Name the one that you mean.',
    ]);
  });
});
