/** `belay campaign approve`: the list first, one question, a vote for each run. */
import { Command } from 'commander';
import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import { approveEqualGates } from '../../../cli/commands/campaign-approve.ts';
import { run } from '../../../cli/run.ts';
import type { Campaigns } from '../../../client/campaigns/campaigns.ts';
import type { BundleResult } from '../../../domain/run/campaign/bundle-outcome.ts';
import type { Bundle } from '../../../domain/run/campaign/bundles.ts';

const said: string[] = [];
beforeEach(() => {
  said.length = 0;
  // The process of the tests goes on.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const keep = (text: unknown, done?: unknown): boolean => {
    if (typeof done === 'function') done();
    return said.push(String(text)) > 0;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
});
afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.exitCode = 0;
});

const bundleOf = (phase: string, names: string[]): Bundle => ({
  id: `to-1-34/prod#1/before:${phase}@1.34#1/abc`,
  campaign: 'to-1-34',
  ring: 'prod',
  attempt: 1,
  gate: `before:${phase}@1.34#1`,
  step: `${phase} → 1.34`,
  verdict: 'clear',
  rules: 'approvers 1',
  undo: 'Nodes move first.',
  key: phase,
  members: names.map((name) => ({
    cluster: { account: '111122223333', region: 'eu-central-1', name },
    runId: `run-${name}`,
    title: `${phase} of ${name}?`,
    revision: 1,
  })),
});

const SENDER = { actor: { kind: 'cli' as const, id: 'sam@laptop' } };

function offering(result: BundleResult = { kind: 'voted' }) {
  const open = [bundleOf('node-groups', ['a', 'b']), bundleOf('control-plane', ['c', 'd'])];
  const pressed: string[] = [];
  const campaigns: Pick<Campaigns, 'bundles' | 'approveBundle'> = {
    bundles: async () => ({ open, earlier: [] }),
    approveBundle: async ({ bundle: id }) => {
      pressed.push(id);
      const bundle = open.find((each) => each.id === id) ?? bundleOf('none', []);
      return { bundle, results: bundle.members.map(({ cluster }) => ({ cluster: cluster.name, result })) };
    },
  };
  return { campaigns, pressed };
}

test('shows every cluster, and approves all that is offered', async () => {
  const { campaigns, pressed } = offering();
  await approveEqualGates(campaigns, 'to-1-34', { yes: true }, SENDER);
  expect(pressed).toEqual(['to-1-34/prod#1/before:node-groups@1.34#1/abc', 'to-1-34/prod#1/before:control-plane@1.34#1/abc']);
  expect(said.join('')).toBe(
    [
      'node-groups → 1.34: 2 clusters of ring prod (evidence: clear; needs approvers 1 at each gate)',
      '  What can be undone: Nodes move first.',
      '  a: node-groups of a?',
      '  b: node-groups of b?',
      'control-plane → 1.34: 2 clusters of ring prod (evidence: clear; needs approvers 1 at each gate)',
      '  What can be undone: Nodes move first.',
      '  c: control-plane of c?',
      '  d: control-plane of d?',
      'Your approval of node-groups → 1.34 is recorded for 2 of 2 clusters.',
      'Your approval of control-plane → 1.34 is recorded for 2 of 2 clusters.',
      '',
    ].join('\n'),
  );
  expect(process.exitCode ?? 0).toBe(0);
});

test('--gate takes those of one kind alone; where there are none it says so', async () => {
  const { campaigns, pressed } = offering();
  await approveEqualGates(campaigns, 'to-1-34', { yes: true, gate: 'before:node' }, SENDER);
  expect(pressed).toEqual(['to-1-34/prod#1/before:node-groups@1.34#1/abc']);
  await expect(approveEqualGates(campaigns, 'to-1-34', { yes: true, gate: 'failed:' }, SENDER)).rejects.toThrow(
    'Campaign to-1-34 has no identical gates that begin with failed: to approve now',
  );
});

test('without --yes and without a terminal nothing is sent', async () => {
  const { campaigns, pressed } = offering();
  await expect(approveEqualGates(campaigns, 'to-1-34', {}, SENDER)).rejects.toThrow(
    '4 gates would be approved, and there is no terminal to ask. Read the list, then repeat the command with --yes.',
  );
  expect(pressed).toEqual([]);
});

test.each<BundleResult>([{ kind: 'kept' }, { kind: 'dropped', why: 'its plan has changed' }, { kind: 'unreached', why: 'no answer' }])(
  'what is $kind is no approval: exit code 2',
  async (result) => {
    const { campaigns } = offering(result);
    const approve = new Command('approve').action(() => approveEqualGates(campaigns, 'to-1-34', { yes: true }, SENDER));
    await run(['node', 'belay', 'approve'], async () => new Command('belay').addCommand(approve));
    expect(said.join('')).toContain('is recorded for 0 of 2 clusters.');
    expect(said.join('')).toMatch(/\n0 of 4 approvals are recorded; see above what became of the others\.\n$/);
    expect(process.exitCode).toBe(2);
  },
);
