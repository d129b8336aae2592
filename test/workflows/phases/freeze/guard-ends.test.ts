/** Runs that end without a word, and guards that do: drift stands still first, then people are told what is so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { count, fakeActivities, inputs, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { decideGate, handOverUpgrade } from '../../../../workflows/contract/messages.ts';
import { ALEX, approveAll, choosing, type RunningUpgrade, withUpgrade } from '../../../support/upgrade.ts';
import { eventually } from '../../../support/eventually.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const REFUSED = ApplicationFailure.nonRetryable('patching nodepools/default: Kubernetes answered 403', 'AccessDenied');
const PHASES = ['freeze-drift', 'control-plane', 'karpenter-drift'] as const;

const guardOf = (run: RunningUpgrade) => env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`);
const eventCount = async (handle: ReturnType<typeof guardOf>): Promise<number> => {
  const { raw } = await handle.describe();
  return Number(raw.workflowExecutionInfo?.historyLength ?? 0);
};

/** Nodes roll, and nothing ever ends. */
function rolling(change: (fake: ReturnType<typeof fakeActivities>) => Partial<BelayActivities> = () => ({})) {
  const fake = fakeActivities({ plan: plan([...PHASES]) });
  fake.world.nodes = { '1.31': 5 };
  const activities = withChange(fake, { watchDrift: () => untilCancelled(), ...change(fake) });
  return { fake, activities, said: () => JSON.stringify(fake.world.published) };
}
const going = ({ world }: ReturnType<typeof fakeActivities>): boolean => count(world, 'watchDrift') > 0 && world.budgets?.nodes !== '0';
const untilRolling = async (run: RunningUpgrade, fake: ReturnType<typeof fakeActivities>): Promise<void> =>
  void (await run.until(() => going(fake), approveAll));

describe('a run that is terminated', () => {
  test('RA2: while drift goes on: the pace is 0 before anything is said, and the freeze is kept', async () => {
    const saidWhenStopped: string[] = [];
    const { fake, activities, said } = rolling(({ activities: healthy, world }) => ({
      setDriftPace: (input) => {
        if (input.nodes === '0') saidWhenStopped.push(JSON.stringify(world.published));
        return healthy.setDriftPace(input);
      },
    }));
    await withUpgrade(env, activities, async (run) => {
      await untilRolling(run, fake);
      await run.handle.terminate('test');
      await eventually(() => fake.world.budgets?.nodes === '0', 5000);
      await eventually(() => said().includes('KEPT'));
      expect(fake.world.budgets?.nodes).toBe('0');
      expect(saidWhenStopped[0]).not.toContain('KEPT');
      expect(said()).not.toContain('could not be frozen');
      // The step has had its answer, and is not left waiting.
      await eventually(
        async () => (await env.client.workflow.getHandle(`${run.workflowId}/karpenter-drift@1.32`).describe()).status.name !== 'RUNNING',
      );
      await guardOf(run).terminate('end of test');
    });
  });

  test('RA2: drift cannot be stopped: not KEPT but an alarm, and it is tried until it works', async () => {
    let isAllowed = false;
    const { fake, activities, said } = rolling(({ activities: healthy }) => ({
      setDriftPace: async (input) => {
        if (input.nodes === '0' && !isAllowed) throw REFUSED;
        return await healthy.setDriftPace(input);
      },
      watchFreeze: async (input) => {
        if (input.recover !== true) return await untilCancelled();
        while (!isAllowed) await new Promise((resolve) => setTimeout(resolve, 20));
        return await healthy.setDriftPace(input);
      },
    }));
    await withUpgrade(env, activities, async (run) => {
      await untilRolling(run, fake);
      await run.handle.terminate('test');
      await eventually(() => said().includes('drift could NOT be stopped'));
      expect(said()).not.toContain('KEPT');
      isAllowed = true;
      await eventually(() => said().includes('Drift is stopped now') && said().includes('KEPT'));
      expect(fake.world.budgets?.nodes).toBe('0');
      await guardOf(run).terminate('end of test');
    });
  });

  test.each([
    ['before:control-plane', 'The freeze is lifted', undefined],
    ['before:karpenter-drift', 'is KEPT', '0'],
  ])('RA2: at the gate %s: the thread says that it %s, and the budgets are so', async (gate, words, nodes) => {
    const { fake, activities, said } = rolling();
    await withUpgrade(env, activities, async (run) => {
      await run.until(
        ({ gates }) => gates.some(({ id }) => id.startsWith(gate)),
        (g, seen) => (g.id.startsWith(gate) ? undefined : approveAll(g, seen)),
      );
      await run.handle.terminate('test');
      await eventually(() => said().includes(words));
      expect(fake.world.budgets?.nodes).toBe(nodes);
      // What is kept has been written once more: somebody may have edited it a moment ago.
      expect(inputs(fake.world, 'setDriftPace')).toHaveLength(nodes === undefined ? 0 : 1);
      await guardOf(run)
        .terminate('end of test')
        .catch(() => undefined);
    });
  });

  test('RA2: the guard is gone as well: the step that is stopped freezes drift itself', async () => {
    const { fake, activities, said } = rolling();
    await withUpgrade(env, activities, async (run) => {
      await untilRolling(run, fake);
      await guardOf(run).terminate('test');
      await run.handle.terminate('test');
      await eventually(() => fake.world.budgets?.nodes === '0', 60_000);
      await eventually(() => said().includes('nothing guards the freeze now'));
    });
  });
});

test('RA5: a guard without rights says so once, looks by one activity, and says when it is over', async () => {
  let isAllowed = false;
  let looks = 0;
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'control-plane']) });
  const activities = withChange(fake, {
    watchFreeze: async (input) => {
      looks += 1;
      if (isAllowed && input.recover !== true) return await untilCancelled();
      if (input.recover !== true) throw REFUSED;
      // What the activity does inside: looks again and again, without a word to the history.
      while (!isAllowed) await new Promise((resolve) => setTimeout(resolve, 20));
      return { intact: true, reverted: [], pools: ['default'] };
    },
  });
  await withUpgrade(env, activities, async (run) => {
    await run.until(
      () => JSON.stringify(fake.world.published).includes('nothing guards the freeze'),
      (g) => (g.id.includes('control-plane') ? undefined : 'approve'),
    );
    const before = await eventCount(guardOf(run));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect((await eventCount(guardOf(run))) - before).toBeLessThan(8);
    expect(looks).toBe(2);
    expect(JSON.stringify(fake.world.published).split('nothing guards the freeze')).toHaveLength(2);
    isAllowed = true;
    await eventually(() => JSON.stringify(fake.world.published).includes('The freeze is guarded again'));
    await run.finish(choosing({}));
  });
});

describe('RA6: a guard that dies in the middle of a run', () => {
  test('RA6: is replaced by one that adopts its NodePools; the roll continues at its pace', async () => {
    const { fake, activities, said } = rolling();
    await withUpgrade(env, activities, async (run) => {
      await untilRolling(run, fake);
      const pace = fake.world.budgets?.nodes;
      await guardOf(run).terminate('test');
      await eventually(() => said().includes('The freeze is guarded again'));
      await eventually(() => count(fake.world, 'freezeDrift') === 2 && fake.world.budgets?.nodes === pace);
      expect(said()).toContain('the workflow that guards the freeze ended in the middle of the run');
      expect((await guardOf(run).describe()).status.name).toBe('RUNNING');
    });
  });

  test('RS1: the new guard knows who asks for the run by now, and neither its gates nor its messages are the old one’s', async () => {
    const { fake, activities, said } = rolling();
    await withUpgrade(env, activities, async (run) => {
      await untilRolling(run, fake);
      const rin = { kind: 'slack', id: 'U0RIN', name: 'Rin' } as const;
      await run.handle.executeUpdate(handOverUpgrade, { args: [{ actor: ALEX, to: rin }] });
      await guardOf(run).terminate('test');
      await eventually(() => said().includes('The freeze is guarded again'));
      await eventually(() => count(fake.world, 'freezeDrift') === 2 && fake.world.budgets?.nodes !== '0');
      await run.handle.terminate('test');
      await eventually(() => said().includes('"kept:freeze-drift@1.32#101"'));
      const input = {
        gateId: 'kept:freeze-drift@1.32#101',
        decisionId: 'kept:freeze-drift@1.32#101:U0RIN:keep-frozen:1',
        choice: 'keep-frozen',
      };
      await guardOf(run).executeUpdate(decideGate, { args: [{ ...input, actor: rin }] });
      expect(inputs(fake.world, 'readApprover').at(-1)).toMatchObject({ requestedBy: rin, formerly: [ALEX] });
      const notes = fake.world.published.flatMap(({ key }) => (key.startsWith('note/freeze-drift@1.32.') ? [key.split('/')[1]] : []));
      expect(notes).toContain('freeze-drift@1.32.2');
      // The record is the run's: what stands in it is no sign of a restored database.
      await eventually(() => inputs(fake.world, 'appendAudit').some((input) => (input as { shared?: true }).shared === true));
      await guardOf(run).terminate('end of test');
    });
  });

  test('RA6: a later step gets the new guard, and what was frozen before the control plane moved is kept', async () => {
    const fake = fakeActivities({ plan: plan([...PHASES]) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until(
        ({ gates }) => gates.some(({ id }) => id.startsWith('before:karpenter-drift')) || count(fake.world, 'awaitUpdate') > 0,
        (g, seen) => (g.id.includes('karpenter-drift') ? undefined : approveAll(g, seen)),
      );
      await guardOf(run).terminate('test');
      const report = await run.finish();
      expect([report.outcome, report.leftBehind]).toEqual(['completed', []]);
      expect(fake.world.budgets).toBeUndefined();
    });
  });

  test('RA6: cannot be replaced: the run stands at a gate, and another try goes on', async () => {
    let isAllowed = true;
    const fake = fakeActivities({ plan: plan([...PHASES]) });
    const activities = withChange(fake, {
      freezeDrift: async (input) => {
        if (!isAllowed) throw REFUSED;
        return await fake.activities.freezeDrift(input);
      },
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(
        ({ gates }) => gates.some(({ id }) => id.startsWith('before:control-plane')),
        (g) => (g.id.includes('control-plane') ? undefined : 'approve'),
      );
      isAllowed = false;
      await guardOf(run).terminate('test');
      await run.until(
        ({ gates }) => gates.some(({ id }) => id === 'unguarded:control-plane@1.32#1'),
        (g) => (g.id.startsWith('unguarded') ? undefined : 'approve'),
      );
      expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
      isAllowed = true;
      expect((await run.finish()).outcome).toBe('completed');
    });
  });
});

describe('RA13: a cluster that was made anew under its name', () => {
  const ANOTHER = ApplicationFailure.nonRetryable('cluster prod is another one: this run began on the one of 2024', 'ClusterReplaced');

  test('RA13: the guard ends without a change, the run does not go on, and every call names the cluster that is meant', async () => {
    let isAnother = false;
    const fake = fakeActivities({ plan: plan([...PHASES]) });
    const { makePlan, freezeDrift, startControlPlaneUpdate } = fake.activities;
    const refusing =
      <I, O>(run: (input: I) => Promise<O>) =>
      async (input: I): Promise<O> => {
        if (isAnother) throw ANOTHER;
        return await run(input);
      };
    const activities = withChange(fake, {
      makePlan: async (input) => ({ ...(await makePlan(input)), identity: '2024-03-01T09:00:00.000Z 5A1F' }),
      freezeDrift: refusing(freezeDrift),
      setDriftPace: refusing(fake.activities.setDriftPace),
      restoreBudgets: refusing(fake.activities.restoreBudgets),
      startControlPlaneUpdate: refusing(startControlPlaneUpdate),
      watchFreeze: async () => {
        while (!isAnother) await new Promise((resolve) => setTimeout(resolve, 20));
        throw ANOTHER;
      },
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(
        ({ gates }) => gates.some(({ id }) => id.startsWith('before:control-plane')),
        (g) => (g.id.includes('control-plane') ? undefined : 'approve'),
      );
      expect(inputs(fake.world, 'freezeDrift')[0]).toMatchObject({ cluster: { name: 'prod', identity: '2024-03-01T09:00:00.000Z 5A1F' } });
      isAnother = true;
      await eventually(() => JSON.stringify(fake.world.published).includes('The freeze ends: cluster prod is another one'));
      const report = await run.finish();
      expect(report.outcome).toBe('stopped');
      expect(report.status.headline).toContain('cluster prod is another one');
      expect(report.status.gates).toEqual([]);
      expect(count(fake.world, 'restoreBudgets')).toBe(0);
      expect((await guardOf(run).describe()).status.name).toBe('COMPLETED');
    });
  });
});

test('RD2: what had to be frozen again right before the update is said', async () => {
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'control-plane']) });
  const activities = withChange(fake, {
    startControlPlaneUpdate: async () => ({ updateId: 'u-1', adopted: false, alreadyThere: false, refrozen: ['default'] }),
  });
  await withUpgrade(env, activities, (run) => run.finish());
  const guard = expect.stringMatching(/freeze-drift@1\.32$/);
  expect(inputs(fake.world, 'startControlPlaneUpdate')[0]).toMatchObject({ protect: { freeze: { guard, reasons: expect.any(Array) } } });
  expect(JSON.stringify(fake.world.published)).toContain(
    'the drift freeze was reverted on default (by GitOps?). Belay restored it before continuing',
  );
});
