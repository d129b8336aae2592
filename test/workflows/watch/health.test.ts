/** Health in a run: alerts park what cannot be undone, checks watch steps, and what they hold is for people to let go. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { HealthTrouble } from '../../../activities/contract/health.ts';
import type { AlertVerdict } from '../../../domain/health/alerts.ts';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import { healthOf } from '../../../domain/policy/config/health/health.ts';
import type { TriedCheck } from '../../../domain/health/checks.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import type { WindowVerdict } from '../../../domain/policy/windows.ts';
import { gateOwner } from '../../../workflows/contract/ids.ts';
import { pauseUpgrade, resumeUpgrade } from '../../../workflows/contract/messages.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, type Decider, SAM, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const { policy: HEALTH } = healthOf([]);
const LIVE: TriedCheck[] = HEALTH.checks.map(({ name }) => ({ name, kind: 'live', baseline: 0.2 }));
const FIRING: AlertVerdict = {
  kind: 'firing',
  alerts: [{ name: 'TargetDown', severity: 'critical', seriesCount: 2, where: 'shop/cart' }],
};
const SLOW: HealthTrouble = {
  kind: 'fail',
  checks: ['api-server-latency'],
  lines: ['api-server-latency: 6.1, limit > 1 (3 of the last 5 readings)'],
  curves: [{ check: 'api-server-latency', startedAt: '2026-03-03T12:00:00Z', points: [[0, 6.1]] }],
};

function healthy(phases: PhaseId[], tried: TriedCheck[] = LIVE) {
  const made = plan(phases);
  const fake = fakeActivities({ plan: made, policy: quickPolicy({ health: HEALTH }) });
  return { ...fake, activities: withChange(fake, { makePlan: async () => ({ kind: 'plan', plan: made, health: tried }) }) };
}

/** Trouble once, and never again. */
function once(trouble: HealthTrouble): () => Promise<HealthTrouble> {
  let told = false;
  return async () => {
    if (told) return untilCancelled();
    told = true;
    return trouble;
  };
}

const isOpen =
  (id: string) =>
  (status: { gates: { id: string }[] }): boolean =>
    status.gates.some((gate) => gate.id === id);
const leaving =
  (kind: string): Decider =>
  (gate, seen) =>
    gate.id.startsWith(kind) ? undefined : approveAll(gate, seen);
const gatesTold = (published: ReturnType<typeof fakeActivities>['world']['published'], id: string) =>
  published.flatMap(({ notification }) =>
    notification.kind === 'gate' && notification.state.gate.id === id ? [notification.state.gate] : [],
  );
const notes = (published: ReturnType<typeof fakeActivities>['world']['published']): string =>
  published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : [])).join('\n');

describe('P5: an alert that fires before a step that cannot be undone', () => {
  const ALERTS = 'alerts:control-plane@1.32#1';

  function firing(verdict: AlertVerdict) {
    const fake = healthy(['pre-checks', 'control-plane', 'validation']);
    let on = true;
    const activities = withChange(fake, {
      judgeAlerts: async () => (on ? verdict : { kind: 'quiet' }),
      awaitQuiet: async () => {
        while (on) await sleepBeating(30);
        return { quiet: true };
      },
    });
    return { ...fake, activities, resolve: () => void (on = false) };
  }

  test('P5: parks it at a gate with its name; resolved, it continues by itself', async () => {
    const { world, activities, resolve } = firing(FIRING);
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen(ALERTS), leaving('alerts'));
      expect(gateOwner(run.workflowId, ALERTS)).toBe(run.workflowId);
      expect([count(world, 'runPreChecks'), count(world, 'startControlPlaneUpdate')]).toEqual([1, 0]);
      resolve();
      expect((await run.finish(leaving('alerts'))).outcome).toBe('completed');
    });
    expect(gatesTold(world.published, ALERTS)[0]).toMatchObject({
      title: 'Waiting for alerts to clear before Step control-plane',
      next: 'Continues by itself once they are resolved.',
      evidence: [{ title: 'Firing alerts', lines: ['TargetDown (critical, shop/cart), 2 times'] }],
      byItself: true,
    });
    expect(inputs(world, 'judgeAlerts')).toMatchObject([{ ignore: expect.arrayContaining(['Watchdog']) }, {}]);
  });

  test('P5: is seen along with its window, and asked about anew where people have let it begin outside of one', async () => {
    const made = plan(['pre-checks', 'control-plane']);
    const fake = fakeActivities({ plan: made, policy: quickPolicy({ health: HEALTH, windows: DEFAULT_WINDOWS }) });
    let closed = false;
    const activities = withChange(fake, {
      makePlan: async () => ({ kind: 'plan', plan: made, health: LIVE }),
      judgeStart: async () => ({ window: closed ? { kind: 'unknown', why: 'belay.yaml is not valid' } : { kind: 'open' }, alerts: FIRING }),
      awaitWindow: async () => untilCancelled(),
      awaitQuiet: async () => {
        closed = true;
        return { quiet: true };
      },
    });
    const WINDOW = 'window:control-plane@1.32#1';
    await withUpgrade(env, activities, async (run) => {
      // Quiet at last, and the window is gone.
      await run.until(isOpen(WINDOW), leaving('window'));
      expect(count(fake.world, 'judgeAlerts')).toBe(1);
      const report = await run.finish(choosing({ [WINDOW]: 'go-anyway' }));
      expect([report.outcome, report.decisions.map(({ gate }) => gate.id).filter((id) => id.startsWith('alerts'))]).toEqual([
        'completed',
        [ALERTS],
      ]);
    });
  });

  test('a pause that comes while alerts hold the step: once they are resolved nothing starts, and after it they are looked at again', async () => {
    const { world, activities, resolve } = firing(FIRING);
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen(ALERTS), leaving('alerts'));
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: SAM }] });
      resolve();
      const status = await run.until((s) => s.state === 'paused' || count(world, 'startControlPlaneUpdate') > 0, leaving('alerts'));
      expect(status.headline).toBe('Paused before "Step control-plane"');
      expect(count(world, 'startControlPlaneUpdate')).toBe(0);
      const asked = count(world, 'judgeAlerts');
      await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
      expect((await run.finish(leaving('alerts'))).outcome).toBe('completed');
      expect(count(world, 'judgeAlerts')).toBe(asked + 1);
    });
  });

  test('alerts that fire again while the step waits for a window, which has closed meanwhile, hold it again', async () => {
    const made = plan(['pre-checks', 'control-plane']);
    const fake = fakeActivities({ plan: made, policy: quickPolicy({ health: HEALTH, windows: DEFAULT_WINDOWS }) });
    const closed: WindowVerdict = { kind: 'closed', why: 'it is Sun', now: '2026-01-18T12:00:00.000Z' };
    const looks: { window: WindowVerdict; alerts: AlertVerdict }[] = [
      { window: { kind: 'open' }, alerts: FIRING },
      { window: closed, alerts: { kind: 'quiet' } },
      { window: { kind: 'open' }, alerts: FIRING },
    ];
    let quiets = 0;
    const activities = withChange(fake, {
      makePlan: async () => ({ kind: 'plan', plan: made, health: LIVE }),
      judgeStart: async () => looks.shift() ?? { window: { kind: 'open' }, alerts: { kind: 'quiet' } },
      awaitWindow: async () => ({ opened: true }),
      awaitQuiet: async () => ((quiets += 1) === 1 ? { quiet: true } : untilCancelled()),
    });
    await withUpgrade(env, activities, async (run) => {
      const again = 'alerts:control-plane@1.32#2';
      await run.until((s) => isOpen(again)(s) || count(fake.world, 'startControlPlaneUpdate') > 0, leaving('alerts'));
      expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
      expect((await run.finish(choosing({ [again]: 'go-anyway' }))).outcome).toBe('completed');
    });
  });

  test('P5: people go on with a reason, for this step alone', async () => {
    const { world, activities } = firing(FIRING);
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen(ALERTS), leaving('alerts'));
      await expect(run.decide(ALERTS, 'go-anyway', { reason: ' ' })).rejects.toMatchObject({
        cause: { message: '"Go anyway" needs a reason.' },
      });
      await run.decide(ALERTS, 'go-anyway', { reason: 'known, and elsewhere' });
      expect((await run.finish()).outcome).toBe('completed');
    });
    expect(count(world, 'startControlPlaneUpdate')).toBe(1);
  });

  test('P5: a Prometheus that cannot be asked is never a yes', async () => {
    const { world, activities } = firing({ kind: 'unknown', why: 'asking Prometheus: connection refused' });
    await withUpgrade(env, activities, async (run) => {
      expect((await run.finish(choosing({ [ALERTS]: 'abort' }))).outcome).toBe('aborted');
    });
    expect(count(world, 'startControlPlaneUpdate')).toBe(0);
    expect(gatesTold(world.published, ALERTS)[0]?.evidence).toEqual([
      { title: 'UNKNOWN', lines: ['it is not known whether alerts are firing: asking Prometheus: connection refused'] },
    ]);
  });
});

describe('checks', () => {
  test('what is blind is said at once and at the first gate, and watches nothing', async () => {
    const tried: TriedCheck[] = [
      { name: 'api-server-latency', kind: 'live', baseline: 0.307 },
      { name: 'api-server-errors', kind: 'blind', hint: 'There is no such metric.' },
    ];
    const { world, activities } = healthy(['pre-checks', 'control-plane'], tried);
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish();
      expect(report.outcome).toBe('completed');
      expect(report.decisions[0]?.gate.evidence).toContainEqual({
        title: 'Health checks',
        lines: [
          'BLIND api-server-errors: its query has no series, so nothing is watched by it. There is no such metric.',
          '1 check before the upgrade: api-server-latency 0.307',
        ],
        verdict: 'unknown',
      });
    });
    expect(notes(world.published)).toContain('BLIND api-server-errors');
    expect(inputs(world, 'watchHealth')).toMatchObject([
      { phase: 'control-plane', checks: [{ check: { name: 'api-server-latency' }, baseline: 0.307 }] },
    ]);
  });

  test('one that fails breaks nothing off: the step ends, the next one waits for people, who may go on without the check', async () => {
    const fake = healthy(['control-plane', 'bake']);
    const id = 'health:control-plane@1.32#1';
    const activities = withChange(fake, { watchHealth: once(SLOW) });
    await withUpgrade(env, activities, async (run) => {
      await run.until(
        (status) => isOpen(id)(status) && count(fake.world, 'verifyControlPlane') + count(fake.world, 'awaitUpdate') > 0,
        leaving('health'),
      );
      await sleep(300);
      expect((await run.status()).steps.map(({ state }) => state)).toEqual(['running', 'planned']);
      await run.decide(id, 'continue', { reason: 'a slow webhook, known' });
      expect((await run.finish()).outcome).toBe('completed');
    });
    expect(gatesTold(fake.world.published, id)[0]).toMatchObject({
      title: 'Health check api-server-latency fails during Step control-plane',
      evidence: [{ title: 'What was seen', lines: SLOW.lines }],
    });
    // Once, after the gate.
    const told = fake.world.published.filter(({ key }) => key.endsWith(id));
    expect(told.slice(0, 2).map(({ notification }) => notification.kind)).toEqual(['gate', 'curves']);
    expect(told.filter(({ notification }) => notification.kind === 'curves')).toMatchObject([
      { notification: { gate: id, curves: SLOW.curves } },
    ]);
  });

  test('abort at its gate ends the step and the run', async () => {
    const fake = healthy(['bake', 'validation']);
    const activities = withChange(fake, { watchHealth: once(SLOW), verifyControlPlane: async () => untilCancelled() });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish(choosing({ 'health:bake@1.32#1': 'abort' }));
      expect(report.outcome).toBe('aborted');
      expect(report.status.steps[0]?.state).toBe('aborted');
    });
  });

  test('once the control plane moves people may abort and go back; before that there is nothing to take back', async () => {
    const fake = healthy(['control-plane', 'validation']);
    const activities = withChange(fake, { watchHealth: once(SLOW) });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish(choosing({ 'health:control-plane@1.32#1': 'abort-and-rollback' }));
      expect([report.outcome, report.status.goBack?.id]).toEqual(['aborted', 'U0SAM']);
      // It has moved all the same.
      expect(report.status.steps[0]).toMatchObject({ id: 'control-plane@1.32', state: 'completed' });
      expect(report.status.headline).toMatch(/because of the test\. To roll back: belay rollback \S+$/);
    });
    const early = healthy(['bake', 'validation']);
    await withUpgrade(env, withChange(early, { watchHealth: once(SLOW) }), async (run) => {
      const { gates } = await run.until(isOpen('health:bake@1.32#1'), leaving('health'));
      expect(gates.find(({ id }) => id.startsWith('health'))?.choices).toEqual(['keep-watching', 'continue', 'abort']);
    });
  });

  test('where an abort wants a reason, so does one that goes back', async () => {
    const strict = quickPolicy({ health: HEALTH });
    const fake = healthy(['control-plane', 'validation']);
    const activities = withChange(fake, {
      watchHealth: once(SLOW),
      loadPolicy: async () => ({ ...strict, approvals: { ...strict.approvals, reasonsFor: ['abort'] } }),
    });
    await withUpgrade(env, activities, (run) => run.finish(choosing({ 'health:control-plane@1.32#1': 'abort-and-rollback' })));
    const gates = fake.world.published.flatMap(({ notification }) => (notification.kind === 'gate' ? [notification.state.gate] : []));
    const wanting = gates.find(({ id }) => id === 'health:control-plane@1.32#1')?.choices.filter(({ needsReason }) => needsReason);
    expect(wanting?.map(({ id }) => id)).toEqual(['continue', 'abort-and-rollback', 'abort']);
  });

  test('one that only warns is said once and holds up nothing', async () => {
    const fake = healthy(['control-plane']);
    const warning: HealthTrouble = { ...SLOW, kind: 'warn' };
    const activities = withChange(fake, {
      watchHealth: once(warning),
      awaitUpdate: async () => {
        await sleepBeating(400);
        return { status: 'Successful', errors: [] };
      },
    });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish();
      expect([report.outcome, report.decisions.filter(({ gate }) => gate.id.startsWith('health'))]).toEqual(['completed', []]);
    });
    expect(notes(fake.world.published)).toContain('During Step control-plane:\n• api-server-latency: 6.1');
    expect(inputs(fake.world, 'watchHealth')).toHaveLength(2);
    expect(inputs(fake.world, 'watchHealth')[1]).not.toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ check: expect.objectContaining({ name: 'api-server-latency' }) })]),
    });
  });

  test('the roll of nodes is frozen while its gate is open, and goes on at its pace afterwards', async () => {
    const fake = healthy(['freeze-drift', 'control-plane', 'karpenter-drift']);
    const id = 'health:karpenter-drift@1.32#1';
    let paces: string[] = [];
    const activities = withChange(fake, {
      watchHealth: async ({ phase }) => (phase === 'karpenter-drift' ? failing() : untilCancelled()),
      setDriftPace: async ({ nodes }) => {
        paces = [...paces, nodes];
        return { intact: true, reverted: [], pools: ['default'] };
      },
      watchDrift: async () => {
        if (!isLetGo) return untilCancelled();
        await sleepBeating(500);
        return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
      },
    });
    const failing = once(SLOW);
    let isLetGo = false;
    await withUpgrade(env, activities, async (run) => {
      await run.until((status) => isOpen(id)(status) && paces.at(-1) === '0', leaving('health'));
      isLetGo = true;
      await run.decide(id, 'keep-watching');
      expect((await run.finish()).outcome).toBe('completed');
    });
    // Frozen, and let go again.
    expect(paces.slice(0, -1)).toContain('0');
    expect(paces.at(-1)).not.toBe('0');
    expect(notes(fake.world.published)).toContain(
      'The roll is on hold, because health check api-server-latency fails: Karpenter replaces no node.',
    );
    expect(notes(fake.world.published)).toContain('The roll continues: Karpenter replaces');
  });

  test('without a Prometheus nothing is asked', async () => {
    const fake = fakeActivities({ plan: plan(['control-plane']) });
    await withUpgrade(env, fake.activities, (run) => run.finish());
    expect([count(fake.world, 'judgeAlerts'), count(fake.world, 'watchHealth')]).toEqual([0, 0]);
  });
});
