/** People hear that a step is slower than usual, once; not of what they take themselves, and nothing where nothing is known. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { PlannedStep } from '../../../domain/plan/model/types.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import { healthOf } from '../../../domain/policy/config/health/health.ts';
import { fakeActivities, type FakeWorld, quickPolicy, sleepBeating, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, type RunningUpgrade, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

/** A phase that usually takes so long. With polls of 200 ms: slower after 1.5 × and 200 ms. */
function knowing(phase: PhaseId, expectedMs: number, maxMs = expectedMs): (step: PlannedStep) => PlannedStep {
  return (step) => (step.phase === phase ? { ...step, expectedMs, usual: { minMs: 1, maxMs, count: 4, of: 'cluster' } } : step);
}

const notes = (world: FakeWorld): string[] =>
  world.published.flatMap(({ notification }) =>
    notification.kind === 'note' && notification.level === 'warning' ? [notification.text] : [],
  );

/** Of those that wait for a step to be late. */
const timers = async ({ handle }: RunningUpgrade): Promise<number> => {
  const { events } = await handle.fetchHistory();
  const started = (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer !== null && timer !== undefined);
  const summaries = started.map(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? []).toString());
  return summaries.filter((summary) => summary.includes('is slower than usual')).length;
};

/** The control plane's update ends when it is let go. */
function slowControlPlane(change: (step: PlannedStep) => PlannedStep): {
  world: FakeWorld;
  activities: ReturnType<typeof withChange>;
  letGo: () => void;
} {
  const fake = fakeActivities({ plan: plan(['control-plane'], change) });
  let going = false;
  const activities = withChange(fake, {
    awaitUpdate: async () => {
      while (!going) await sleepBeating(50);
      return { status: 'Successful', errors: [] };
    },
  });
  return { world: fake.world, activities, letGo: () => (going = true) };
}

describe('a step that takes longer than it usually does', () => {
  test('is slower than usual, and later stuck with what to look at; each said once, the board shows it until the step has ended', async () => {
    const { world, activities, letGo } = slowControlPlane(knowing('control-plane', 400));
    const report = await withUpgrade(env, activities, async (run) => {
      const slow = await run.until(({ steps }) => steps[0]?.late === 'slower', approveAll);
      expect(slow.steps[0]?.usual).toMatchObject({ count: 4, of: 'cluster' });
      await run.until(({ steps }) => steps[0]?.late === 'stuck');
      letGo();
      return run.finish();
    });
    const [slower, stuck, ...others] = notes(world);
    expect(slower).toMatch(
      /^Step control-plane is slower than usual: 1 s so far without waits for decisions, usually 0 s \(median of 4 upgrades of this cluster, 0 s to 0 s\)\.$/,
    );
    expect(stuck).toMatch(
      /^Step control-plane may be stuck: .+ What to check:\n• what EKS says of the update: `aws eks list-updates --name prod --region eu-central-1`, then /,
    );
    expect(others).toEqual([]);
    expect(report.status.steps[0]).not.toHaveProperty('late');
    expect(report.status.steps[0]).not.toHaveProperty('usual');
  });

  test('a Retry says nothing again', async () => {
    const fake = fakeActivities({ plan: plan(['control-plane'], knowing('control-plane', 200)) });
    let round = 0;
    const activities = withChange(fake, {
      awaitUpdate: async () => {
        round += 1;
        await sleepBeating(1_500);
        return round === 1
          ? { status: 'Failed', errors: [{ code: 'Unknown', message: 'no', resourceIds: [] }] }
          : { status: 'Successful', errors: [] };
      },
    });
    await withUpgrade(env, activities, (run) => run.finish(choosing({ 'failed:control-plane@1.32#1': 'retry' })));
    expect([round, notes(fake.world).filter((text) => text.includes('slower than usual'))]).toEqual([2, [expect.any(String)]]);
  });
});

describe('nothing is said', () => {
  test('of a step that is as fast as usual', async () => {
    const { world, activities, letGo } = slowControlPlane(knowing('control-plane', 10_000));
    letGo();
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(notes(world)).toEqual([]);
    // The gate before it has said how long it would take.
    expect(report.decisions[0]?.gate.next).toBe(
      'runs control-plane It usually takes 10 s (median of 4 upgrades of this cluster, 0 s to 10 s).',
    );
  });

  test('of one that an earlier upgrade took as long for', async () => {
    const { world, activities, letGo } = slowControlPlane(knowing('control-plane', 100, 20_000));
    await withUpgrade(env, activities, async (run) => {
      await run.until(({ steps }) => Date.now() - Date.parse(steps[0]?.startedAt ?? '') > 1_000, approveAll);
      letGo();
      return run.finish();
    });
    expect(notes(world)).toEqual([]);
  });

  test('of the time that people take at the gate of a health check, which holds the roll', async () => {
    const { policy: health } = healthOf([]);
    const made = plan(['freeze-drift', 'karpenter-drift'], knowing('karpenter-drift', 6_000));
    const fake = fakeActivities({ plan: made, policy: quickPolicy({ health }) });
    let looks = 0;
    let rolls = 0;
    const activities = withChange(fake, {
      makePlan: async () => ({
        kind: 'plan',
        plan: made,
        health: health.checks.map(({ name }) => ({ name, kind: 'live', baseline: 0.2 })),
      }),
      watchHealth: async () =>
        (looks += 1) === 1 ? { kind: 'fail', checks: ['dns-errors'], lines: ['dns-errors: 0.4, limit > 0.01'] } : untilCancelled(),
      watchDrift: async () =>
        (rolls += 1) === 1 ? untilCancelled() : { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 },
    });
    await withUpgrade(env, activities, async (run) => {
      const HEALTH = 'health:karpenter-drift@1.32#1';
      await run.until(
        ({ gates }) => gates.some(({ id }) => id === HEALTH),
        (gate, seen) => (gate.id === HEALTH ? undefined : approveAll(gate, seen)),
      );
      // Longer than the nine seconds after which it would be slow.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      await run.decide(HEALTH, 'continue', { reason: 'known' });
      return run.finish();
    });
    expect(notes(fake.world).filter((text) => text.includes('slower than usual'))).toEqual([]);
  });

  test('of the time that people take at a gate of the step', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift'], knowing('karpenter-drift', 6_000)) });
    let blocked = true;
    const node = {
      node: 'ip-10-0-1-7',
      nodePool: 'default',
      pod: { namespace: 'shop', name: 'cart-0', controller: { kind: 'ReplicaSet', name: 'cart-6d4f' } },
      workload: { kind: 'Deployment', namespace: 'shop', name: 'cart', replicas: 1 },
      reason: 'held',
      sinceMs: 60_000,
    } as const;
    const activities = withChange(fake, {
      watchDrift: async () =>
        blocked
          ? { kind: 'blocked', node, replacedCount: 2, remainingCount: 1 }
          : { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 },
    });
    await withUpgrade(env, activities, async (run) => {
      const isBlocked = (gates: { id: string }[]): boolean => gates.some(({ id }) => id.startsWith('blocked:'));
      const approveOthers = (gate: { id: string; choices: string[] }): string | undefined =>
        gate.id.startsWith('blocked:') ? undefined : approveAll(gate, 0);
      const { gates } = await run.until((status) => isBlocked(status.gates), approveOthers);
      // Longer than the nine seconds after which it would be slow; its own work has all of those on a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      blocked = false;
      const [gate] = gates;
      await run.decide(gate?.id ?? '', 'scale');
      return run.finish();
    });
    expect(notes(fake.world).filter((text) => /slower|stuck/.test(text))).toEqual([]);
  });

  test('where nothing was learnt: such a run has no timer for it', async () => {
    const timersOf = async (change: (step: PlannedStep) => PlannedStep): Promise<number> => {
      const { activities, letGo } = slowControlPlane(change);
      letGo();
      return await withUpgrade(env, activities, async (run) => {
        await run.finish();
        return await timers(run);
      });
    };
    expect([await timersOf((step) => step), await timersOf(knowing('control-plane', 60_000))]).toEqual([0, 1]);
  });
});
