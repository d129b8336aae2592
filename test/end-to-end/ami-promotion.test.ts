/** Production is pinned to the AMI release that staging has baked; where it has not, people decide before any node rolls. */
import { expect, test } from 'vitest';
import { amiById } from '../../rehearsal/aws/eks/nodes/amis.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { type Rehearsed, rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;
const [PINNED, BAKED] = ['v20250403', 'v20251016'];

/** Of the images that Karpenter's nodes run. */
const releases = (world: World): string[] => [
  ...new Set(world.store.list('nodeclaims').map(({ status }) => amiById(String(status?.imageID))?.release ?? 'unknown')),
];

function expectCompleted(run: Rehearsed): void {
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.budgets.after).toEqual(run.budgets.before);
  expect(run.neighbours.map(({ journal }) => journal.mutations)).toEqual([[]]);
}

const saying = ({ thread }: Rehearsed, text: string): string[] => thread.filter((line) => line.includes(text));
/** Accepted writes to node classes, by class. */
const edits = ({ report }: Rehearsed): string[] =>
  report.mutations.flatMap(({ resource, accepted }) => (resource.startsWith('ec2nodeclasses/') && accepted ? [resource] : []));

test(
  'baked: the plan names the release with its evidence; Belay pins its own class and Argo CD the other, each once though the worker dies, and every node runs it',
  async () => {
    const run = await rehearsed({ scenario: 'ami-promotion', speed: 300, kills: ['worker@karpenter-drift'] });
    expectCompleted(run);
    expect(run.report.killed).toHaveLength(1);
    const evidence = `al2023@${PINNED} → al2023@${BAKED} (promoted: staging runs it on all 2 nodes since 2026-07-04 (6 days))`;
    expect(saying(run, 'Node classes are edited').some((plan) => plan.includes(`batch: ${evidence}`))).toBe(true);
    expect(saying(run, 'ℹ Please change EC2NodeClass batch at its source (argocd)')).toHaveLength(1);
    expect(saying(run, `ℹ EC2NodeClass default: ${evidence}`)).toHaveLength(1);
    // The edit, and the annotation that goes when all nodes are through. Argo CD's class is not Belay's to patch.
    expect(edits(run)).toEqual(['ec2nodeclasses/default', 'ec2nodeclasses/default']);
    expect(run.world.journal.events.map(({ text }) => text)).toContain(`argocd has EC2NodeClass batch choose al2023@${BAKED}`);
    expect(releases(run.world)).toEqual([BAKED]);
  },
  LIMIT_MS,
);

test(
  'not baked for long enough: the plan says since when, people look again, and go on with the release that is there',
  async () => {
    const run = await rehearsed({
      scenario: 'ami-promotion-young',
      speed: 300,
      decide: (id) => (id.startsWith('promote:') ? (id.endsWith('#1') ? 'look-again' : 'go-on') : undefined),
    });
    expectCompleted(run);
    const why = `al2023@${BAKED} has not run for 7 days yet: staging since 2026-07-04 (6 days)`;
    expect(saying(run, 'No AMI release to promote*: default').some((plan) => plan.includes(why))).toBe(true);
    const gates = run.report.gates.filter(({ id }) => id.startsWith('promote:'));
    expect(gates.map(({ choice }) => choice)).toEqual(['look-again', 'go-on']);
    expect(edits(run)).toEqual([]);
    expect(releases(run.world)).toEqual([PINNED]);
  },
  LIMIT_MS,
);
