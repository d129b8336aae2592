/** Karpenter from v1alpha5: new objects beside the old, the three ways to move nodes, and nothing deleted that still has nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { MigrationLook } from '../../../../activities/contract/karpenter-migration.ts';
import type { MigrationStepId } from '../../../../domain/plan/migration/checklist.ts';
import { fakeActivities, type FakeWorld, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const STEP = 'karpenter-migration@1.32';
const FAILED = `failed:${STEP}#1`;
const WAYS = `change:${STEP}/nodes`;

function look(open: MigrationStepId[], change: Partial<MigrationLook> = {}): MigrationLook {
  const ids: MigrationStepId[] = ['patch', 'definitions', 'controller', 'manifests', 'nodes', 'old-objects', 'beyond'];
  return {
    controller: '0.30.0',
    steps: ids.map((id) => ({ id, title: id, state: open.includes(id) ? 'open' : 'done', seen: `${id} was seen.` })),
    delivered: [],
    workloads: [],
    questions: [],
    unknowns: [],
    claimCount: 0,
    driftedCount: 0,
    incomplete: [],
    ...change,
  };
}

const START = look(['patch', 'definitions', 'controller', 'manifests', 'nodes', 'old-objects', 'beyond']);
const BRIDGED = look(['manifests', 'nodes', 'old-objects', 'beyond'], { controller: '0.32.10' });

function fakeWith(change: Partial<BelayActivities> = {}, looks: MigrationLook[] = [START, BRIDGED]) {
  const fake = fakeActivities({
    plan: plan(['karpenter-migration'], (step) =>
      step.params.phase === 'karpenter-migration'
        ? { ...step, params: { ...step.params, from: '0.30.0', legs: ['v1beta1'], moveNodes: 'ask', nodeCount: 2 } }
        : step,
    ),
  });
  const left = [...looks];
  const readKarpenterMigration = async (): Promise<MigrationLook> => (left.length > 1 ? left.shift() : left[0]) ?? BRIDGED;
  return { world: fake.world, activities: withChange(fake, { readKarpenterMigration, ...change }) };
}

const CHANGES = ['upgradeKarpenterWithHelm', 'createNewObjects', 'taintProvisioners', 'untaintProvisioners', 'deleteAlphaObjects'];
const story = (world: FakeWorld): string[] =>
  world.calls.flatMap(({ name, input }) => {
    const { only, to, cascade } = input as { only?: string; to?: string; cascade?: boolean };
    return CHANGES.includes(name)
      ? [[name, only, to, cascade === true ? 'cascade' : undefined].filter((part) => part !== undefined).join(' ')]
      : [];
  });
const notes = (world: FakeWorld): string[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));
const choosing =
  (way: string): Decider =>
  ({ id }) =>
    id.startsWith(WAYS) ? way : id === FAILED ? 'abort' : 'approve';

const BRIDGE = [
  'upgradeKarpenterWithHelm karpenter v0.31.4',
  'upgradeKarpenterWithHelm karpenter-crd v0.32.10',
  'upgradeKarpenterWithHelm karpenter v0.32.10',
  'createNewObjects',
];

test('by drift: the gate on, the Provisioners tainted, the old objects away once no Machine is left', async () => {
  const { world, activities } = fakeWith();
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing('drift')));
  expect(report.outcome).toBe('completed');
  expect(story(world)).toEqual([...BRIDGE, 'upgradeKarpenterWithHelm karpenter v0.32.10', 'taintProvisioners', 'deleteAlphaObjects']);
  expect(inputs(world, 'upgradeKarpenterWithHelm').at(-1)).toMatchObject({
    values: [{ path: ['settings', 'featureGates', 'drift'], value: true }],
  });
  const gates = world.published.flatMap(({ notification }) => (notification.kind === 'gate' ? [notification.state.gate] : []));
  expect(gates.find(({ id }) => id.startsWith(WAYS))).toMatchObject({
    title: 'How should the nodes of the Machines be replaced?',
    choices: [
      { id: 'drift', label: 'Drift' },
      { id: 'cascade', label: 'Delete the Provisioner', style: 'danger', needsReason: true },
      { id: 'by-hand', label: 'By hand' },
      { id: 'reject' },
    ],
  });
  expect(gates.find(({ id }) => id.includes('/leave-v1alpha5#'))?.undo).toContain('After that, you cannot roll back to v1alpha5.');
});

test('by cascade: the Provisioners go with their nodes', async () => {
  const { world, activities } = fakeWith();
  await withUpgrade(env, activities, (run) => run.finish(choosing('cascade')));
  expect(story(world)).toEqual([...BRIDGE, 'deleteAlphaObjects cascade', 'deleteAlphaObjects']);
});

test('nodes do not move: the step fails, and the taint is taken away', async () => {
  const { world, activities } = fakeWith({
    awaitKarpenterMigration: async ({ until }) => ({
      timedOut: until === 'nodes',
      state: 'open',
      seen: '2 Machines, which stay what they are.',
    }),
    untaintProvisioners: async () => ({ untainted: ['default'] }),
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing('drift')));
  expect(story(world).at(-1)).toBe('untaintProvisioners');
  expect(notes(world)).toContain(
    'Karpenter: the taint is removed from Provisioner default: no further node is replaced because of it. The drift gate is still on (settings.featureGates.drift).',
  );
});

test('what only the owner can write is asked for; workloads with old labels are asked about before any node moves', async () => {
  const { world, activities } = fakeWith(
    { createNewObjects: async () => ({ created: [], asked: [], refused: ['EC2NodeClass default: spec.role is required'] }) },
    [START, { ...BRIDGED, workloads: ['Deployment shop/cart'] }, BRIDGED],
  );
  const decider: Decider = (gate, n) => (gate.id.includes('/workloads#') ? 'look-again' : choosing('drift')(gate, n));
  const report = await withUpgrade(env, activities, (run) => run.finish(decider));
  expect(report.outcome).toBe('completed');
  expect(notes(world).find((text) => text.startsWith('Please create'))).toBe(
    'Please create these beside the old objects, under the same names: EC2NodeClass default: spec.role is required. belay migrate karpenter --dir CHECKOUT --to v1beta1 writes them, with the reason for each change. Belay continues by itself once they exist.',
  );
  const gate = world.published
    .flatMap(({ notification }) => (notification.kind === 'gate' ? [notification.state.gate] : []))
    .find(({ id }) => id.includes('/workloads#'));
  expect(gate?.evidence[0]?.lines[0]).toBe('Deployment shop/cart');
});
