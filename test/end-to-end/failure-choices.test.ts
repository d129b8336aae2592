/** What people choose after a failure is what is done: fixed, forced behind a gate of its own, preserved, overwritten, skipped. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import type { KubeObject } from '../../rehearsal/kubernetes/store.ts';
import { type Play, SAM } from './support/play.ts';
import { expectRestored } from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';

const GROUPS = 'failed:node-groups@1.32#1';
const FORCE = 'force:node-groups@1.32#1';
const ADD_ONS = 'failed:add-ons-target@1.32#1';
const BEFORE_GROUPS = 'before:node-groups@1.32#1';

/** Karpenter's own pods run on the node group, and may not go. */
const BLOCKING: KubeObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'nobody-goes', namespace: 'kube-system' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { 'app.kubernetes.io/name': 'karpenter' } } },
};

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  theatre = await Theatre.open(houses('small', 6, { scenario: small }));
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

async function begin(house: number, faults: string[], choices: Record<string, string>): Promise<void> {
  play = await theatre.play(`small-${house}`, { faults, decide: (gate) => choices[gate] });
  await play.start();
}

const groupUpdates = (): { status: string; force: boolean }[] =>
  play.world.eks.updates
    .filter(({ resource, type }) => resource.kind === 'node-group' && type === 'VersionUpdate')
    .map(({ status, force }) => ({ status, force: force === true }));

/** How conflicts were resolved in the updates of the add-on that failed. */
function resolved(): (string | undefined)[] {
  const updates = play.world.eks.updates.filter(({ resource }) => resource.kind === 'add-on');
  const failed = updates.find(({ status }) => status === 'Failed')?.resource;
  const ofIt = updates.filter(({ resource }) => JSON.stringify(resource) === JSON.stringify(failed)).slice(-2);
  return ofIt.map(({ params }) => params.find(({ type }) => type === 'ResolveConflicts')?.value);
}

describe('pods of a node group that are not evicted', () => {
  test('force: asked at a gate of its own, and EKS goes past the budget', async () => {
    await begin(1, [], { [BEFORE_GROUPS]: 'ignore', [GROUPS]: 'ask-force', [FORCE]: 'ignore' });
    await play.gate(BEFORE_GROUPS);
    play.world.store.create('poddisruptionbudgets', BLOCKING);
    await play.press(SAM, BEFORE_GROUPS, 'approve');
    await play.gate(FORCE);
    expect(groupUpdates()).toEqual([{ status: 'Failed', force: false }]);
    await play.says(/UpdateNodegroupVersion with force for default: pods that cannot be evicted are killed with their nodes/);
    await play.press(SAM, FORCE, 'force');
    expect(await play.closed()).toBe('COMPLETED');
    expect(groupUpdates()).toEqual([
      { status: 'Failed', force: false },
      { status: 'Successful', force: true },
    ]);
    await play.says(/\*Force\* by/);
  });

  test('retry without force, once there is room', async () => {
    await begin(2, ['eks:update-failed=PodEvictionFailure@node-groups'], { [GROUPS]: 'ask-force', [FORCE]: 'retry' });
    expect(await play.closed()).toBe('COMPLETED');
    expect(groupUpdates()).toEqual([
      { status: 'Failed', force: false },
      { status: 'Successful', force: false },
    ]);
    await expectRestored(play);
  });

  test('skip: the group stays, and the run continues to the validation that says so', async () => {
    await begin(3, ['eks:update-failed=PodEvictionFailure@node-groups'], { [GROUPS]: 'skip', 'failed:validation@1.32#1': 'skip' });
    expect(await play.closed()).toBe('COMPLETED');
    expect(groupUpdates()).toEqual([{ status: 'Failed', force: false }]);
    await expectRestored(play);
  });
});

describe('a conflict of an add-on', () => {
  test.each([
    [4, 'retry', 'PRESERVE', /\*Preserve\* by/],
    [5, 'overwrite', 'OVERWRITE', /\*Overwrite\* by/],
  ])('play %s: %s', async (house, choice, mode, says) => {
    await begin(house, ['eks:update-failed=ConfigurationConflict@add-ons-target'], { [ADD_ONS]: choice });
    expect(await play.closed()).toBe('COMPLETED');
    expect(resolved()).toEqual(['PRESERVE', mode]);
    await play.says(says);
    await expectRestored(play);
  });
});

test('readiness issues: fixed, and go on; nothing is forced', async () => {
  await begin(6, ['eks:invalid-state'], {});
  expect(await play.closed()).toBe('COMPLETED');
  await play.says(
    /ReadinessIssues on small-6: EKS refuses the update because its upgrade insights show issues\. Fix what the insights name\./,
  );
  await play.says(/\*Fixed: continue\* by/);
  expect(play.controlPlaneUpdates().every(({ force }) => force !== true)).toBe(true);
  await expectRestored(play);
});
