/** The freeze's guard on bad days: budgets that cannot be set, transient at the end, freezes and AMI holds of earlier runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { count, fakeActivities, inputs, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { ALEX, approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const REFUSED = ApplicationFailure.nonRetryable('patching nodepools/default: admission webhook said no', 'InvalidRequest');
const abortAtFailure: Decider = (gate) => (gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0));

describe('budgets that cannot be set', () => {
  test('a pace is refused: the guard lives on and the freeze stays; a Retry goes on from there', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'control-plane', 'karpenter-drift']) });
    const healthy = fake.activities.setDriftPace;
    let refused = false;
    const activities = withChange(fake, {
      setDriftPace: async (input) => {
        if (input.nodes === '0' || refused) return healthy(input);
        refused = true;
        throw REFUSED;
      },
    });
    await withUpgrade(env, activities, async (run) => {
      const failed = await run.until(
        (s) => s.gates.some((g) => g.id.startsWith('failed:karpenter-drift')),
        (g) => (g.id.startsWith('failed') ? undefined : approveAll(g, 0)),
      );
      expect(failed.steps.at(-1)?.note).toContain('Setting the drift budget to 1: ');
      expect(failed.steps.at(-1)?.note).toContain('admission webhook said no');
      expect(fake.world.budgets?.nodes).toBe('0');
      expect(count(fake.world, 'restoreBudgets')).toBe(0);
      expect((await run.finish()).outcome).toBe('completed');
      expect(fake.world.budgets).toBeUndefined();
    });
  });

  test('not even freezing again works: said loudly, and why the step failed is not lost', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
    const healthy = fake.activities.setDriftPace;
    const activities = withChange(fake, {
      setDriftPace: async (input) => {
        if (input.nodes === '0') throw REFUSED;
        return healthy(input);
      },
      watchDrift: async () => ({ kind: 'unhealthy', why: 'NodePool default is not ready', replacedCount: 1, remainingCount: 2 }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(abortAtFailure));
    expect(report.status.steps[1]?.note).toContain('NodePool default is not ready');
    expect(report.leftBehind).toContainEqual({
      what: 'freeze of Karpenter drift',
      why: expect.stringContaining('admission webhook said no'),
      kept: false,
    });
    expect(JSON.stringify(fake.world.published)).toContain('ALARM: drift could not be frozen again');
  });

  test('K9: the freeze itself is refused halfway, before anything moved: what was frozen is put back', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'control-plane']) });
    const activities = withChange(fake, { freezeDrift: async () => Promise.reject(REFUSED) });
    const report = await withUpgrade(env, activities, (run) => run.finish(abortAtFailure));
    expect(report.outcome).toBe('aborted');
    expect(count(fake.world, 'restoreBudgets')).toBe(1);
  });
});

test('K10: transient at the end: restoring is tried until it works, however long that takes', async () => {
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
  const healthy = fake.activities.restoreBudgets;
  let tries = 0;
  const activities = withChange(fake, {
    restoreBudgets: async (input) => {
      tries += 1;
      if (tries < 12) throw ApplicationFailure.create({ message: 'listing nodepools: the connection was refused', type: 'Unavailable' });
      return healthy(input);
    },
  });
  const report = await withUpgrade(env, activities, (run) => run.finish());
  expect([report.outcome, report.leftBehind]).toEqual(['completed', []]);
  expect(fake.world.budgets).toBeUndefined();
});

describe('an earlier run', () => {
  /** The control plane moved then, its nodes are still at 1.30. */
  const earlier = (phases: Parameters<typeof plan>[0]) => {
    const base = plan(phases);
    const frozen = step('freeze-drift', { params: { phase: 'freeze-drift', nodePools: ['default'], frozenBefore: ['default'] } });
    const held = step('karpenter-drift', {
      params: {
        phase: 'karpenter-drift',
        to: '1.32',
        nodePools: ['default'],
        nodeCount: 3,
        paces: ['1'],
        offeredPaces: ['freeze', '1', '10%', '20%', 'original'],
        heldClasses: ['al2023'],
      },
    });
    const steps = base.steps.map((one) => (one.phase === 'freeze-drift' ? frozen : one.phase === 'karpenter-drift' ? held : one));
    const fake = fakeActivities({ plan: { ...base, steps } });
    fake.world.nodes = { '1.30': 5 };
    return fake;
  };

  test('kept its freeze: a new run that is aborted before its control plane moves keeps it as well', async () => {
    const fake = earlier(['freeze-drift', 'control-plane']);
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until(
        (s) => s.gates.some((g) => g.id.startsWith('before:control-plane')),
        (g) => (g.id.includes('control-plane') ? undefined : approveAll(g, 0)),
      );
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] });
      const report = await run.finish();
      expect(report.leftBehind).toMatchObject([{ what: 'Karpenter drift freeze', kept: true }]);
      expect(count(fake.world, 'restoreBudgets')).toBe(0);
      await env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`).terminate('end of test');
    });
  });

  test('kept its freeze: a new freeze that fails halfway lifts nothing', async () => {
    const fake = earlier(['freeze-drift', 'control-plane']);
    const activities = withChange(fake, { freezeDrift: async () => Promise.reject(REFUSED) });
    const report = await withUpgrade(env, activities, (run) => run.finish(abortAtFailure));
    expect(count(fake.world, 'restoreBudgets')).toBe(0);
    expect(report.leftBehind.map(({ kept }) => kept)).toContain(true);
    expect(JSON.stringify(fake.world.published)).toContain('NodePools that are already frozen stay frozen');
  });

  test("nodes that are not Karpenter's do not keep a freeze", async () => {
    const fake = earlier(['freeze-drift', 'control-plane']);
    const activities = withChange(fake, {
      readSkew: async () => ({ controlPlane: '1.31', updating: false, nodes: { '1.31': 3, '1.30': 2 }, karpenterNodes: { '1.31': 3 } }),
    });
    const decider: Decider = (gate) => (gate.id.includes('control-plane') ? 'reject' : approveAll(gate, 0));
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.leftBehind).toEqual([]);
    expect(fake.world.budgets).toBeUndefined();
  });

  test('held the AMIs: they are released under the freeze, before the first pace', async () => {
    const fake = earlier(['freeze-drift', 'control-plane', 'karpenter-drift']);
    const report = await withUpgrade(env, fake.activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const order = fake.world.calls
      .map(({ name }) => name)
      .filter((name) => ['freezeDrift', 'releaseAmis', 'setDriftPace', 'watchDrift'].includes(name));
    expect(order.slice(0, 3)).toEqual(['freezeDrift', 'releaseAmis', 'setDriftPace']);
    expect(inputs(fake.world, 'releaseAmis')).toHaveLength(1);
  });

  test('held the AMIs and somebody has changed them since: the step stops and says what to do', async () => {
    const fake = earlier(['freeze-drift', 'karpenter-drift']);
    const activities = withChange(fake, {
      releaseAmis: async () => ({ released: [], failed: [{ nodeClass: 'al2023', why: 'others changed amiSelectorTerms meanwhile' }] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(abortAtFailure));
    expect(report.status.steps[1]?.note).toBe('Releasing held AMIs: al2023: others changed amiSelectorTerms meanwhile');
    // By the step that fails, and by the guard before it says that the freeze is kept.
    expect(inputs(fake.world, 'setDriftPace')).toMatchObject([{ nodes: '0' }, { nodes: '0' }]);
  });
});

describe('a freeze that is no plain budget', () => {
  const MEANS = { usual: 'budget' as const, byNode: ['default'] };
  const byNode = (phases: Parameters<typeof plan>[0]) =>
    plan(phases, (s) => (s.params.phase === 'freeze-drift' ? { ...s, params: { ...s.params, means: MEANS } } : s));

  test('every call is told the means and the guard, and the watcher has stopped before the pace is changed', async () => {
    const fake = fakeActivities({ plan: byNode(['freeze-drift', 'control-plane', 'karpenter-drift']) });
    let watching = 0;
    let overlapped = false;
    const healthy = fake.activities.setDriftPace;
    const activities = withChange(fake, {
      watchFreeze: async () => {
        watching += 1;
        try {
          return await untilCancelled();
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 50));
          watching -= 1;
        }
      },
      setDriftPace: async (input) => {
        overlapped ||= watching > 0;
        return healthy(input);
      },
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect([report.outcome, report.leftBehind, overlapped]).toEqual(['completed', [], false]);
    const guard = expect.stringMatching(/freeze-drift@1\.32$/);
    for (const name of ['freezeDrift', 'watchFreeze', 'setDriftPace'] as const)
      expect(inputs(fake.world, name)).toContainEqual(expect.objectContaining({ means: MEANS, guard }));
    expect(JSON.stringify(fake.world.published)).toContain('Drift is frozen on every node of NodePool default by annotation');
  });

  test('one that has ended by itself is said and put in place again', async () => {
    const fake = fakeActivities({ plan: byNode(['freeze-drift', 'karpenter-drift']) });
    let looks = 0;
    const activities = withChange(fake, {
      watchFreeze: async () => {
        looks += 1;
        return looks === 1 ? { intact: false, reverted: [], lapsed: ['default'], pools: ['default'] } : untilCancelled();
      },
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(() => count(fake.world, 'freezeDrift') === 2);
      await run.finish();
    });
    expect(JSON.stringify(fake.world.published)).toContain('expired because nobody renewed it in time');
  });
});
