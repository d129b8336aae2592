/** Karpenter's nodes are newer: they go back before everything else, are held until the control plane is back, and nothing is left of that; also where the worker is killed at every step. */
import { expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { amiById } from '../../rehearsal/aws/eks/nodes/amis.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { type Rehearsed, rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 1_800_000;
const STEPS = [
  'rollback-checks@1.32',
  'freeze-drift@1.32',
  'karpenter-drift@1.32',
  'node-groups@1.32',
  'add-ons-back@1.32',
  'control-plane-back@1.32',
  'node-classes-back@1.32',
  'validation@1.32',
];

const classesOf = ({ store }: World): [string, unknown, unknown][] =>
  store
    .list('ec2nodeclasses')
    .map(({ metadata, spec }): [string, unknown, unknown] => [
      metadata.name,
      spec.amiSelectorTerms,
      metadata.annotations?.['belay.dev/ami-before'],
    ]);

async function upAndDown(kills: string[] = []): Promise<Rehearsed & { classes: ReturnType<typeof classesOf> }> {
  let classes: ReturnType<typeof classesOf> = [];
  const run = await rehearsed({
    scenario: 'karpenter-back',
    kills,
    speed: 300,
    onBuilt: (world) => void (classes = classesOf(world)),
  });
  return { ...run, classes };
}

function expectBack({ ok, why, report, world, classes, budgets }: Awaited<ReturnType<typeof upAndDown>>): void {
  expect([ok, why]).toEqual([true, '']);
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(report.steps.map(({ id }) => id)).toEqual(STEPS);
  expect(new Set(world.store.list('nodes').map(kubeletMinor))).toEqual(new Set(['1.32']));
  expect(world.eks.cluster.version).toBe('1.32');
  expect(classesOf(world)).toEqual(classes);
  expect(budgets.after).toEqual(budgets.before);
  // EKS never saw it asked for while a node was newer.
  const moves = report.mutations.filter(({ operation }) => operation === 'UpdateClusterVersion');
  expect(moves.map(({ accepted }) => accepted)).toEqual([true, true]);
  const tokens = report.mutations.flatMap(({ api, accepted, token }) => (api === 'eks' && accepted && token !== undefined ? [token] : []));
  expect(new Set(tokens).size).toBe(tokens.length);
}

test(
  'karpenter-back: in order, equal to its snapshot',
  async () => {
    const run = await upAndDown();
    expectBack(run);
    const thread = run.thread.join('\n');
    expect(thread).toContain('Let Karpenter replace 4 nodes by 1.32?');
    expect(thread).toContain('Please change EC2NodeClass batch at its source (argocd)');
    expect(thread).toContain('EC2NodeClass default: AMIs are chosen as before the rollback.');
  },
  LIMIT_MS,
);

test(
  'the worker is killed at every step of the way back that changes something: nothing twice, nothing left',
  async () => {
    const kills = [
      'worker@back:freeze-drift',
      'worker@back:karpenter-drift',
      'worker@back:node-groups',
      'worker@add-ons-back',
      'worker@control-plane-back',
      'worker@node-classes-back',
    ];
    const run = await upAndDown(kills);
    expectBack(run);
    expect(run.report.killed.map(({ process, at }) => `${process}@${at}`)).toEqual(kills);
  },
  LIMIT_MS,
);

test(
  'undone-node-classes: the AMIs of before within one minor, every node rolled by its image, one class through Argo CD',
  async () => {
    const run = await rehearsed({ scenario: 'undone-node-classes', speed: 300 });
    expect([run.ok, run.why]).toEqual([true, '']);
    const { report, world, budgets } = run;
    expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(report.steps.map(({ id }) => id)).toEqual(['freeze-drift@1.32', 'karpenter-drift@1.32', 'validation@1.32']);
    const images = world.store.list('nodeclaims').map(({ status }) => amiById(String(status.imageID))?.name);
    expect(new Set(images)).toEqual(new Set(['amazon-eks-node-al2023-x86_64-standard-1.32-v20250403']));
    expect(
      world.store.list('ec2nodeclasses').filter(({ metadata }) => 'belay.dev/ami-move-before' in (metadata.annotations ?? {})),
    ).toEqual([]);
    expect(budgets.after).toEqual(budgets.before);
    const thread = run.thread.join('\n');
    expect(thread).toContain('Take 2 EC2NodeClasses of undone-node-classes back to the AMIs of before?');
    expect(thread).toContain('Please change EC2NodeClass batch at its source (argocd)');
  },
  LIMIT_MS,
);
