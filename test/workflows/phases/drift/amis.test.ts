/** Node classes that do not follow the control plane: edited, asked for, found without images, put back when people say so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { NodeClassSwitch } from '../../../../domain/facts/facts.ts';
import { defined } from '../../../../domain/core/defined.ts';
import type { AmiMove } from '../../../../domain/plan/model/changes.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { count, fakeActivities, inputs, sleepBeating, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, type RunningUpgrade, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const MOVE: AmiMove = {
  nodeClass: 'pinned',
  nodePools: ['default'],
  before: 'al2023@v20240101',
  terms: [{ alias: 'al2023@v20250403' }],
  why: 'al2023@v20240101 has no image for 1.32',
};
const FOLLOWS = [{ nodeClass: 'pinned', nodePools: ['default'] }];
const GATE = 'amis:karpenter-drift@1.32#1';

function upgrading(moves: AmiMove[]) {
  const drift = step('karpenter-drift');
  const params = { ...drift.params, moves, follows: FOLLOWS };
  return fakeActivities({
    plan: plan(['freeze-drift', 'karpenter-drift', 'validation'], (each) =>
      each.phase === 'karpenter-drift' ? { ...drift, params } : each,
    ),
  });
}

const saying = ({ world }: ReturnType<typeof fakeActivities>): string =>
  JSON.stringify(world.published.map(({ notification }) => notification));
/** Names of calls of the world, in their order. */
const order = ({ world }: ReturnType<typeof fakeActivities>, names: string[]): string[] =>
  world.calls.map(({ name }) => name).filter((name, index, all) => names.includes(name) && all[index - 1] !== name);

describe('an edit of the plan', () => {
  test('is made under the freeze, before the first pace, and forgotten when all nodes are through', async () => {
    const fake = upgrading([MOVE]);
    const report = await withUpgrade(env, withChange(fake, {}), (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'moveAmis')).toMatchObject([{ moves: [MOVE] }]);
    expect(order(fake, ['freezeDrift', 'moveAmis', 'awaitAmis', 'setDriftPace', 'forgetAmiMoves', 'restoreBudgets'])).toEqual([
      'freezeDrift',
      'moveAmis',
      'awaitAmis',
      'setDriftPace',
      'setDriftPace',
      'forgetAmiMoves',
      'restoreBudgets',
    ]);
    expect(count(fake.world, 'awaitAmiMoves')).toBe(0);
    expect(saying(fake)).toContain('EC2NodeClass pinned: al2023@v20240101 → al2023@v20250403 (al2023@v20240101 has no image for 1.32).');
  });

  test('of a class that Argo CD owns is asked for with its lines, and watched', async () => {
    const fake = upgrading([{ ...MOVE, amiFamily: 'AL2023', owner: 'argocd' }]);
    const report = await withUpgrade(env, withChange(fake, {}), (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(count(fake.world, 'moveAmis')).toBe(0);
    expect(count(fake.world, 'awaitAmiMoves')).toBe(1);
    expect(saying(fake)).toContain(
      'Please change EC2NodeClass pinned at its source (argocd): set spec.amiFamily to AL2023 and set spec.amiSelectorTerms to [{alias: al2023@v20250403}], instead of al2023@v20240101, because al2023@v20240101 has no image for 1.32.',
    );
  });

  test.each([
    ['keep-amis', 0],
    ['put-back', 1],
  ])('when new nodes do not come up people choose: %s', async (choice, undone) => {
    const fake = upgrading([MOVE]);
    let ill = true;
    const activities = withChange(fake, {
      watchDrift: async () => {
        if (!ill) return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
        ill = false;
        return { kind: 'unhealthy', why: 'NodePool default: new nodes do not register', replacedCount: 1, remainingCount: 2 };
      },
    });
    const decider: Decider = (gate) => (gate.id === GATE ? choice : gate.id.startsWith('failed') ? 'retry' : approveAll(gate, 0));
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.outcome).toBe('completed');
    expect(count(fake.world, 'undoAmiMoves')).toBe(undone);
    // Frozen again before anybody is asked, and made once more by Retry.
    expect(inputs(fake.world, 'setDriftPace')).toMatchObject([{ nodes: '1' }, { nodes: '0' }, { nodes: '1' }]);
    expect(count(fake.world, 'moveAmis')).toBe(2);
    expect(saying(fake)).toContain('Replacing nodes has stopped: keep the new AMIs?');
  });
});

describe('a roll that failed, and an abort from the board', () => {
  const ill: Partial<BelayActivities> = {
    watchDrift: async () => ({
      kind: 'unhealthy',
      why: 'NodePool default: new nodes do not register',
      replacedCount: 1,
      remainingCount: 2,
    }),
  };
  const abort = (run: RunningUpgrade): Promise<unknown> =>
    run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'enough' }] });

  test('at the question whether the new AMIs stay: it is said that they do', async () => {
    const fake = upgrading([MOVE]);
    const report = await withUpgrade(env, withChange(fake, ill), async (run) => {
      await run.until(
        ({ gates }) => gates.some(({ id }) => id === GATE),
        (gate) => (gate.id === GATE ? undefined : approveAll(gate, 0)),
      );
      await abort(run);
      return await run.finish();
    });
    expect(report.outcome).toBe('aborted');
    expect(count(fake.world, 'undoAmiMoves')).toBe(0);
    expect(saying(fake)).toContain('The new AMIs stay chosen on EC2NodeClass pinned;');
  });

  test('while they are put back: that is finished', async () => {
    const fake = upgrading([MOVE]);
    let isAborted = false;
    const activities = withChange(fake, {
      ...ill,
      undoAmiMoves: async () => {
        while (!isAborted) await sleepBeating(50);
        await sleepBeating(200);
        return { undone: ['pinned'], failed: [] };
      },
    });
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until(
        () => count(fake.world, 'undoAmiMoves') === 1,
        (gate) => (gate.id === GATE ? 'put-back' : approveAll(gate, 0)),
      );
      await abort(run);
      isAborted = true;
      return await run.finish();
    });
    expect(report.outcome).toBe('aborted');
    expect(saying(fake)).toContain('AMIs are as before on pinned.');
  });
});

describe('a class for which Karpenter finds no images', () => {
  const WHY = 'Karpenter keeps amazon-eks-node-al2023-x86_64-standard-1.31-v20240101: al2023@v20240101 seems to have no image for 1.32';

  test.each([
    ['look-again', undefined],
    ['leave', ['default']],
  ])('is named at a gate: %s', async (choice, ignored) => {
    const fake = upgrading([]);
    let looks = 0;
    const activities = withChange(fake, {
      awaitAmis: async ({ follows }) => {
        looks += 1;
        return { stale: looks > 1 || follows.length === 0 ? [] : [{ nodeClass: 'pinned', nodePools: ['default'], why: WHY }] };
      },
    });
    const decider: Decider = (gate) => (gate.id === GATE ? choice : approveAll(gate, 0));
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.outcome).toBe('completed');
    const gate = JSON.stringify(fake.world.published.find(({ key }) => key === `gate/${GATE}`)?.notification);
    expect(gate).toContain('1 EC2NodeClass without AMIs for 1.32: what now?');
    expect(gate).toContain(`EC2NodeClass pinned: ${WHY}`);
    expect(inputs(fake.world, 'watchDrift')[0]).toMatchObject({ ignorePools: ignored ?? [] });
    // Validation accepts nodes that were left, and no others.
    const by = { what: 'Nodes of default', by: expect.any(String), reason: 'because of the test' };
    const accepts = ignored === undefined ? {} : { skipped: [{ ...by, nodePools: ignored }] };
    expect((inputs(fake.world, 'validateCluster') as { skipped?: object }[]).map(({ skipped }) => defined({ skipped }))).toEqual([accepts]);
  });
});

describe('a NodePool that is pointed at another class', () => {
  const SWITCH: NodeClassSwitch = { nodePool: 'default', from: 'al2', to: 'bottlerocket' };

  function switching(over: Partial<NodeClassSwitch> = {}) {
    const freeze = step('freeze-drift');
    const params = { ...freeze.params, switches: [{ ...SWITCH, ...over }] };
    return fakeActivities({
      plan: plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift'], (each) =>
        each.phase === 'freeze-drift' ? { ...freeze, params } : each,
      ),
    });
  }

  const CALLS = [
    'freezeDrift',
    'switchNodeClasses',
    'startControlPlaneUpdate',
    'undoNodeClassSwitches',
    'forgetNodeClassSwitches',
    'restoreBudgets',
  ];
  const rejectControlPlane: Decider = (gate) => (gate.id.startsWith('before:control-plane') ? 'reject' : approveAll(gate, 0));

  test('the pre-checks know of it; it is done under the freeze, before the control plane moves, and forgotten after the roll', async () => {
    const fake = switching();
    const report = await withUpgrade(env, withChange(fake, {}), (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(order(fake, CALLS)).toEqual([
      'freezeDrift',
      'switchNodeClasses',
      'startControlPlaneUpdate',
      'forgetNodeClassSwitches',
      'restoreBudgets',
    ]);
    expect(saying(fake)).toContain('NodePool default uses EC2NodeClass bottlerocket instead of al2');
    expect(inputs(fake.world, 'runPreChecks')).toMatchObject([{ switching: ['default'] }]);
  });

  test('stopped before anything moved: it names its old class again before the budgets come back', async () => {
    const fake = switching();
    const report = await withUpgrade(env, withChange(fake, {}), (run) => run.finish(rejectControlPlane));
    expect(report.outcome).toBe('stopped');
    expect(order(fake, CALLS)).toEqual(['freezeDrift', 'switchNodeClasses', 'undoNodeClassSwitches', 'restoreBudgets']);
  });

  test('it cannot be switched back: drift stays frozen, and that is said loudly', async () => {
    const fake = switching();
    const activities = withChange(fake, {
      undoNodeClassSwitches: async () => ({ undone: [], failed: [{ nodePool: 'default', why: 'others set theirs' }] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(rejectControlPlane));
    expect(count(fake.world, 'restoreBudgets')).toBe(0);
    expect(fake.world.budgets?.nodes).toBe('0');
    expect(saying(fake)).toContain(
      'ALARM: NodePools could NOT be switched back to their EC2NodeClasses, so drift stays frozen: default: others set theirs',
    );
    expect(JSON.stringify(report.leftBehind)).toContain('others set theirs');
  });

  test('of Argo CD: asked for and watched; stopped, it is asked back before the budgets come back', async () => {
    const fake = switching({ owner: 'argocd' });
    await withUpgrade(env, withChange(fake, {}), (run) => run.finish(rejectControlPlane));
    expect(count(fake.world, 'switchNodeClasses')).toBe(0);
    expect(inputs(fake.world, 'awaitNodeClassSwitches')).toMatchObject([
      { switches: [{ from: 'al2', to: 'bottlerocket' }] },
      { switches: [{ from: 'bottlerocket', to: 'al2' }] },
    ]);
    expect(saying(fake)).toContain(
      'Please change NodePool default at its source (argocd): set spec.template.spec.nodeClassRef.name to bottlerocket, instead of al2.',
    );
    expect(saying(fake)).toContain(
      'Please change NodePool default back at its source (argocd): set spec.template.spec.nodeClassRef.name to al2.',
    );
    expect(fake.world.budgets).toBeUndefined();
  });
});

describe('a release to promote that the plan did not find', () => {
  const LATE: AmiMove = { ...MOVE, before: 'al2023@latest', terms: [{ alias: 'al2023@v20250601' }], why: 'promoted: staging runs it' };
  const OPEN = { nodeClass: 'pinned', chooses: 'al2023@latest', status: 'unknown' as const, why: 'staging cannot be read' };
  const gateOf = (look: number): string => `promote:karpenter-drift@1.32#${look}`;
  const waiting = (moves: AmiMove[] = []) => {
    const drift = step('karpenter-drift');
    const params = { ...drift.params, follows: FOLLOWS, unpromoted: [OPEN], ...(moves.length === 0 ? {} : { moves }) };
    return fakeActivities({
      plan: plan(['freeze-drift', 'karpenter-drift'], (each) => (each.phase === 'karpenter-drift' ? { ...drift, params } : each)),
    });
  };
  const choosing =
    (...choices: string[]): Decider =>
    (gate) =>
      gate.id.startsWith('promote') ? choices[Number(gate.id.split('#')[1]) - 1] : approveAll(gate, 0);

  test('is looked for again, shown, and pinned instead of what the plan had', async () => {
    const fake = waiting([MOVE]);
    let looks = 0;
    const activities = withChange(fake, {
      readPromotion: async () => {
        looks += 1;
        return looks === 1 ? { moves: [], unpromoted: [OPEN] } : { moves: [LATE], unpromoted: [] };
      },
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(choosing('look-again', 'promote')));
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'moveAmis')).toMatchObject([{ moves: [LATE] }]);
    expect(order(fake, ['freezeDrift', 'moveAmis', 'setDriftPace']).slice(0, 2)).toEqual(['freezeDrift', 'moveAmis']);
    expect(saying(fake)).toContain('UNKNOWN pinned (al2023@latest): staging cannot be read');
  });

  test('is gone on without, for a reason; or nobody decides and no node moves', async () => {
    const fake = waiting();
    const activities = withChange(fake, { readPromotion: async () => ({ moves: [], unpromoted: [OPEN] }) });
    const report = await withUpgrade(env, activities, (run) => run.finish(choosing('go-on')));
    expect([report.outcome, count(fake.world, 'moveAmis')]).toEqual(['completed', 0]);
    expect(report.status.gates.find(({ id }) => id === gateOf(1))).toBeUndefined();
    expect(JSON.stringify(fake.world.published)).toContain('which no other cluster has proven');
  });

  test('that has come into place meanwhile is no question any more', async () => {
    const fake = waiting();
    const report = await withUpgrade(env, fake.activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(saying(fake)).not.toContain('No AMI release to promote to');
  });
});

describe('AMIs that the plan holds', () => {
  const HOLDS: AmiMove[] = [
    { nodeClass: 'own', nodePools: ['default'], before: 'al2023@latest', terms: [{ id: 'ami-own' }], why: 'they stay' },
    {
      nodeClass: 'theirs',
      nodePools: ['batch'],
      before: 'al2023@latest',
      terms: [{ id: 'ami-theirs' }],
      why: 'they stay',
      owner: 'argocd',
    },
  ];
  const holding = () =>
    fakeActivities({
      plan: plan(['freeze-drift', 'control-plane', 'karpenter-drift'], (each) => {
        if (each.params.phase === 'freeze-drift') return { ...each, params: { ...each.params, holds: HOLDS } };
        return each.params.phase === 'karpenter-drift' ? { ...each, params: { ...each.params, heldClasses: ['own'] } } : each;
      }),
    });
  const NAMES = ['freezeDrift', 'holdAmis', 'awaitAmiMoves', 'startControlPlaneUpdate', 'releaseAmis', 'setDriftPace', 'restoreBudgets'];

  test('are pinned before the control plane moves, and let go before the first pace', async () => {
    const fake = holding();
    const report = await withUpgrade(env, fake.activities, (run) => run.finish());
    expect([report.outcome, report.leftBehind]).toEqual(['completed', []]);
    expect(order(fake, NAMES).slice(0, 6)).toEqual(NAMES.slice(0, 6));
    expect(inputs(fake.world, 'holdAmis')).toMatchObject([{ nodeClasses: ['own'] }]);
    expect(saying(fake)).toContain(
      'Please change EC2NodeClass theirs at its source (argocd): set spec.amiSelectorTerms to [{id: ami-theirs}]',
    );
  });

  test('are let go, and asked back, when the run is rejected before anything moved', async () => {
    const fake = holding();
    const decider: Decider = (gate) => (gate.id.includes('control-plane') ? 'reject' : approveAll(gate, 0));
    const report = await withUpgrade(env, fake.activities, (run) => run.finish(decider));
    expect(report.leftBehind).toEqual([]);
    expect(order(fake, NAMES).slice(-2)).toEqual(['releaseAmis', 'restoreBudgets']);
    expect(saying(fake)).toContain(
      'Please change EC2NodeClass theirs back at its source (argocd): set spec.amiSelectorTerms to [{alias: al2023@latest}]',
    );
  });

  test('are let go at once when the run is aborted while their owners are waited for', async () => {
    const fake = holding();
    const activities = withChange(fake, { awaitAmiMoves: async () => untilCancelled() });
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until(() => count(fake.world, 'awaitAmiMoves') === 1, approveAll);
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'enough' }] });
      return await run.finish();
    });
    expect([report.outcome, report.leftBehind]).toEqual(['aborted', []]);
    expect(order(fake, NAMES).slice(-2)).toEqual(['releaseAmis', 'restoreBudgets']);
  });

  test('that are refused stop the step, and what was pinned is let go with the freeze', async () => {
    const fake = holding();
    const activities = withChange(fake, {
      holdAmis: async () => ({ held: [], refused: [{ nodeClass: 'own', why: 'its nodes run 2 AMIs' }] }),
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate) => (gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0))),
    );
    expect(report.status.steps[0]?.note).toContain('Holding AMIs: own: its nodes run 2 AMIs');
    expect(order(fake, NAMES)).toEqual(['freezeDrift', 'holdAmis', 'releaseAmis', 'restoreBudgets']);
    expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
  });
});
