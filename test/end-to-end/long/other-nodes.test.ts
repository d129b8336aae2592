/** Nodes that neither EKS nor Karpenter replaces, whole upgrades: with the worker killed in the middle. */
import { expect, test } from 'vitest';
import { kubeletMinor } from '../../../rehearsal/controllers/nodes.ts';
import { type Rehearsed, rehearsed, tally } from '../support/rehearsal.ts';

const LIMIT_MS = 720_000;

/** At the target, nothing left, each kill with its recovery. */
function expectUpgraded({ ok, why, report, world }: Rehearsed, killed: string[]): void {
  expect([ok, why]).toEqual([true, '']);
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(report.killed.map(({ process, at }) => `${process}@${at}`)).toEqual(killed);
  expect(new Set(world.store.list('nodes').map(kubeletMinor))).toEqual(new Set([report.to]));
}

test(
  'control-plane logs, then Fargate: each changed once, although the worker dies after the first change of both',
  async () => {
    const run = await rehearsed({ scenario: 'fargate', speed: 120, kills: ['worker@control-plane-logging', 'worker@other-nodes'] });
    expectUpgraded(run, ['worker@control-plane-logging', 'worker@other-nodes']);
    expect(run.world.eks.cluster.logging).toEqual(['api', 'audit']);
    expect(run.world.eks.updates.filter(({ type }) => type === 'LoggingUpdate').map(({ status }) => status)).toEqual(['Successful']);
    expect(tally(run.report, 'kubernetes')).toEqual([
      'patch deployments deployments/batch/worker',
      'patch deployments deployments/reports/pdf',
    ]);
    const fargate = run.world.store.list('nodes', { labels: { 'eks.amazonaws.com/compute-type': 'fargate' } });
    expect(fargate).toHaveLength(3);
  },
  LIMIT_MS,
);

test(
  'self-managed nodes are asked for; the Cluster Autoscaler stands still while groups move, and the worker dies when it has paused it',
  async () => {
    const run = await rehearsed({ scenario: 'self-managed', speed: 120, kills: ['worker@node-groups'] });
    expectUpgraded(run, ['worker@node-groups']);
    const autoscaler = 'patch deployments deployments/kube-system/cluster-autoscaler';
    expect(tally(run.report, 'kubernetes')).toEqual([autoscaler, autoscaler]);
    const at = (operation: string): string[] =>
      run.report.mutations.filter((one) => one.accepted && one.operation === operation).map((one) => one.at);
    const [moved = ''] = at('UpdateNodegroupVersion');
    const [paused = '', resumed = ''] = at('patch deployments');
    expect([paused < moved, moved < resumed]).toEqual([true, true]);
    expect(run.world.store.get('deployments', 'cluster-autoscaler', 'kube-system')).toMatchObject({ spec: { replicas: 2 } });
    expect(run.report.gates.find(({ id }) => id.startsWith('blocked:'))).toMatchObject({ choice: 'withdrawn' });
  },
  LIMIT_MS,
);

test(
  'groups of one’s own: refreshed once and drained within budgets, although the worker dies before it hears of its first change; Terraform’s is asked for',
  async () => {
    const run = await rehearsed({ scenario: 'instance-refresh', speed: 120, kills: ['worker@other-nodes'] });
    expectUpgraded(run, ['worker@other-nodes']);
    const once = ['CreateLaunchTemplateVersion', 'PutLifecycleHook', 'StartInstanceRefresh', 'DeleteLifecycleHook'];
    for (const operation of once) expect(tally(run.report, 'eks').filter((line) => line.startsWith(operation))).toHaveLength(1);
    expect(tally(run.report, 'eks').filter((line) => line.startsWith('CompleteLifecycleAction'))).toHaveLength(3);
    expect(run.thread.join('\n')).toContain('(Belay does not: Terraform keeps it or its launch template)');
  },
  LIMIT_MS,
);

test(
  'Auto Mode: a built-in pool follows at once, one of one’s own waits until people let it, although the worker dies at both',
  async () => {
    const run = await rehearsed({ scenario: 'auto-mode', speed: 120, kills: ['worker@freeze-drift', 'worker@karpenter-drift'] });
    expectUpgraded(run, ['worker@freeze-drift', 'worker@karpenter-drift']);
    expect(run.budgets.after).toEqual(run.budgets.before);
    const pools = run.report.mutations.filter(({ operation }) => operation === 'patch nodepools').map(({ resource }) => resource);
    expect(new Set(pools)).toEqual(new Set(['nodepools/batch']));
  },
  LIMIT_MS,
);

test(
  'Fargate on the way back: down behind a gate of its own, up again as before, and a group of one’s own at its old image, although the worker dies once it has stopped the first',
  async () => {
    const run = await rehearsed({ scenario: 'fargate-back', speed: 200, kills: ['worker@control-plane-back'] });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(run.report.killed.map(({ process, at }) => `${process}@${at}`)).toEqual(['worker@control-plane-back']);
    expect(run.world.eks.cluster.version).toBe('1.32');
    expect(new Set(run.world.store.list('nodes').map(kubeletMinor))).toEqual(new Set(['1.32']));
    expect(run.world.store.list('nodes', { labels: { 'eks.amazonaws.com/compute-type': 'fargate' } })).toHaveLength(3);
    // EKS was asked once, and never refused: no newer pod was left.
    const moves = run.report.mutations.filter(({ operation }) => operation === 'UpdateClusterVersion');
    expect(moves.map(({ accepted }) => accepted)).toEqual([true, true]);
    const { autoScalingGroups, launchTemplates } = run.world.eks.network;
    const template = launchTemplates.find(({ id }) => id === autoScalingGroups[0]?.launchTemplate.id);
    const images = (template?.versions ?? []).map(({ imageId }) => imageId);
    expect([images.length, new Set(images).size, images[2]]).toEqual([3, 2, images[0]]);
    const thread = run.thread.join('\n');
    expect(thread).toContain('Take 2 workloads on Fargate DOWN until the control plane is back at 1.32?');
    expect(thread).toContain('2 workloads on Fargate run again.');
  },
  LIMIT_MS,
);
