/** Maintenance windows in a run: what changes something begins only within one, waves included; people may go on or end it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import type { PlanWindows, WindowVerdict } from '../../../domain/policy/windows.ts';
import { gateOwner } from '../../../workflows/contract/ids.ts';
import { pauseUpgrade, resumeUpgrade } from '../../../workflows/contract/messages.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, type Decider, SAM, withUpgrade } from '../../support/upgrade.ts';
import type { WindowQuestion } from '../../../domain/plan/model/window-question.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const CLOSED: WindowVerdict = {
  kind: 'closed',
  why: 'it is Thu 13:00, outside the maintenance windows (Sat 22:00–04:00 UTC)',
  now: '2026-01-15T13:00:00.000Z',
  opensAt: '2026-01-17T22:00:00.000Z',
  opensText: 'Sat 2026-01-17 22:00 UTC',
};

/** Closed for these phases until `open` is called; what is asked is kept. */
function withWindows(phases: PhaseId[], closed: PhaseId[], more: Parameters<typeof plan>[1] = (step) => step) {
  const fake = fakeActivities({ plan: plan(phases, more), policy: quickPolicy({ windows: DEFAULT_WINDOWS }) });
  let shut = true;
  const isClosed = ({ phases: asked }: WindowQuestion): boolean => shut && asked.some((phase) => closed.includes(phase));
  const activities = withChange(fake, {
    judgeWindow: async (question) => (isClosed(question) ? CLOSED : { kind: 'open' }),
    awaitWindow: async (question) => {
      while (isClosed(question)) await sleepBeating(30);
      return { opened: true };
    },
  });
  return { ...fake, activities, open: () => void (shut = false), shut: () => void (shut = true) };
}

const gateText = (published: ReturnType<typeof fakeActivities>['world']['published'], id: string) =>
  published.flatMap(({ notification }) => (notification.kind === 'gate' && notification.state.gate.id === id ? [notification] : []));

const GATE = 'window:control-plane@1.32#1';
const ignoringWindows: Decider = (gate, seen) => (gate.id.startsWith('window') ? undefined : approveAll(gate, seen));
const isOpen =
  (id: string) =>
  (status: { gates: { id: string }[] }): boolean =>
    status.gates.some((gate) => gate.id === id);

describe('a step outside the windows', () => {
  test('a pause that comes while it is parked: whoever resumes it outside the windows finds it parked again', async () => {
    const { world, activities, open, shut } = withWindows(['pre-checks', 'control-plane'], ['control-plane']);
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen(GATE), ignoringWindows);
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: SAM }] });
      open();
      await run.until((s) => s.state === 'paused', ignoringWindows);
      shut();
      await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
      const again = 'window:control-plane@1.32#2';
      await run.until((s) => isOpen(again)(s) || count(world, 'startControlPlaneUpdate') > 0, ignoringWindows);
      expect(count(world, 'startControlPlaneUpdate')).toBe(0);
      open();
      expect((await run.finish(ignoringWindows)).outcome).toBe('completed');
    });
  });

  test('P2: is parked after the approval, says until when, mentions nobody, and begins by itself when a window opens', async () => {
    const { world, activities, open } = withWindows(['pre-checks', 'control-plane'], ['control-plane']);
    await withUpgrade(env, activities, async (run) => {
      const status = await run.until(isOpen(GATE), ignoringWindows);
      expect(status.state).toBe('waiting');
      expect(status.headline).toContain('the next window opens Sat 2026-01-17 22:00 UTC');
      expect(count(world, 'runPreChecks')).toBe(1);
      expect(count(world, 'startControlPlaneUpdate')).toBe(0);
      open();
      const report = await run.finish(ignoringWindows);
      expect(report.outcome).toBe('completed');
      expect(report.decisions.find(({ gate }) => gate.id === GATE)).toMatchObject({
        kind: 'withdrawn',
        why: 'a maintenance window is open',
      });
    });
    expect(count(world, 'startControlPlaneUpdate')).toBe(1);
    const [gate] = gateText(world.published, GATE);
    expect(gate).toMatchObject({
      mention: { users: [], groups: [] },
      state: {
        gate: {
          title: 'Waiting for a maintenance window before Step control-plane',
          next: "Continues by itself once belay.yaml's windows allow it; the next window opens Sat 2026-01-17 22:00 UTC.",
          byItself: true,
        },
      },
    });
    // It lives until its window and the time for a decision after it.
    const { openedAt, expiresAt } = gate?.state.gate ?? { openedAt: '', expiresAt: '' };
    expect(Date.parse(expiresAt) - Date.parse(openedAt)).toBe(57 * 3_600_000 + 30_000);
  });

  test('P4: an exclusion that is declared while the run is under way stops the next step that cannot be undone', async () => {
    const { world, activities, open, shut } = withWindows(['control-plane', 'node-groups'], ['node-groups']);
    open();
    const declaring = withChange(
      { world, activities },
      {
        awaitUpdate: async ({ resource }) => {
          // In the middle of the control plane's update, which is finished.
          if (resource.kind === 'cluster') shut();
          return { status: 'Successful', errors: [] };
        },
      },
    );
    await withUpgrade(env, declaring, async (run) => {
      await run.until(isOpen('window:node-groups@1.32#1'), ignoringWindows);
      expect((await run.status()).steps[0]).toMatchObject({ id: 'control-plane@1.32', state: 'completed' });
      expect(count(world, 'startNodeGroupUpdate')).toBe(0);
      open();
      expect((await run.finish(ignoringWindows)).outcome).toBe('completed');
    });
    expect(count(world, 'startNodeGroupUpdate')).toBe(1);
  });

  test('P4: windows that cannot be read are never a yes', async () => {
    const { world, activities } = withWindows(['control-plane'], []);
    const blind = withChange(
      { world, activities },
      {
        judgeWindow: async () => ({ kind: 'unknown', why: 'the windows cannot be read: belay.yaml: not valid YAML' }),
        awaitWindow: async () => untilCancelled(),
      },
    );
    await withUpgrade(env, blind, async (run) => {
      const report = await run.finish(choosing({ [GATE]: 'abort' }));
      expect(report.outcome).toBe('aborted');
      expect(count(world, 'startControlPlaneUpdate')).toBe(0);
      const [gate] = gateText(world.published, GATE);
      expect(gate?.state.gate.evidence).toEqual([{ title: 'UNKNOWN', lines: ['the windows cannot be read: belay.yaml: not valid YAML'] }]);
    });
  });

  test('people go on with a reason, all of the quorum; that holds for the step and not for the next', async () => {
    const { world, activities } = withWindows(['control-plane', 'node-groups'], ['control-plane', 'node-groups']);
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen(GATE), ignoringWindows);
      await expect(run.decide(GATE, 'go-anyway', { reason: ' ' })).rejects.toMatchObject({
        cause: { message: '"Go anyway" needs a reason.' },
      });
      await run.decide(GATE, 'go-anyway', { reason: 'a hole that is being used' });
      await run.until(isOpen('window:node-groups@1.32#1'), ignoringWindows);
      expect(count(world, 'startControlPlaneUpdate')).toBe(1);
      const report = await run.finish(choosing({ 'window:node-groups@1.32#1': 'go-anyway' }));
      expect(report.outcome).toBe('completed');
    });
  });

  test('a step that is tried again after a failure asks again', async () => {
    const { world, activities, open, shut } = withWindows(['control-plane'], ['control-plane']);
    open();
    let failed = false;
    const failing = withChange(
      { world, activities },
      {
        awaitUpdate: async () => {
          if (failed) return { status: 'Successful', errors: [] };
          failed = true;
          shut();
          return { status: 'Failed', errors: [{ code: 'InsufficientFreeAddresses', message: 'out of addresses', resourceIds: [] }] };
        },
      },
    );
    await withUpgrade(env, failing, async (run) => {
      await run.until(isOpen(GATE), ignoringWindows);
      expect(count(world, 'startControlPlaneUpdate')).toBe(1);
      open();
      expect((await run.finish(ignoringWindows)).outcome).toBe('completed');
    });
  });

  test('what only looks needs no window; the freeze is asked about together with the control plane that it is for', async () => {
    const { world, activities, open } = withWindows(['pre-checks', 'freeze-drift', 'control-plane', 'bake', 'validation'], []);
    open();
    await withUpgrade(env, activities, (run) => run.finish());
    expect(inputs(world, 'judgeWindow')).toMatchObject([
      { phases: ['freeze-drift'], needMs: 120_000 },
      { phases: ['control-plane'], needMs: 60_000 },
    ]);
  });
});

describe('waves', () => {
  test('P2: no new wave begins outside a window; the one under way is finished', async () => {
    const inWaves: Parameters<typeof plan>[1] = (s) =>
      s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, waves: { by: 'zone' } } } : s;
    const { world, activities, open, shut } = withWindows(['freeze-drift', 'karpenter-drift'], ['karpenter-drift'], inWaves);
    open();
    const id = 'window:karpenter-drift@1.32/2#1';
    const closing = withChange(
      { world, activities },
      {
        holdWaves: async () => ({
          waves: [
            { name: 'eu-1b', nodeCount: 1 },
            { name: 'eu-1a', nodeCount: 30 },
          ],
        }),
        releaseWave: async ({ wave }) => {
          if (wave === 'eu-1b') shut();
          return { releasedCount: 1 };
        },
      },
    );
    await withUpgrade(env, closing, async (run) => {
      await run.until(isOpen(id), ignoringWindows);
      expect(gateOwner(run.workflowId, id)).toBe(`${run.workflowId}/karpenter-drift@1.32`);
      expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }]);
      expect(count(world, 'watchDrift')).toBeGreaterThan(0);
      open();
      expect((await run.finish(ignoringWindows)).outcome).toBe('completed');
    });
    expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }, { wave: 'eu-1a' }]);
    // Thirty nodes at forty seconds.
    expect(inputs(world, 'judgeWindow').at(-1)).toMatchObject({ phases: ['karpenter-drift'], needMs: 1_200_000 });
  });

  test('P2: further node groups wait; an abort there ends the run and leaves what has moved', async () => {
    const groups = Array.from({ length: 7 }, (_, index) => ({ name: `g${index}`, from: '1.31', count: 1 }));
    const many: Parameters<typeof plan>[1] = (s) => (s.params.phase === 'node-groups' ? { ...s, params: { ...s.params, groups } } : s);
    const { world, activities, open, shut } = withWindows(['node-groups'], ['node-groups'], many);
    open();
    const closing = withChange(
      { world, activities },
      {
        startNodeGroupUpdate: async ({ nodeGroup }) => {
          if (nodeGroup === 'g4') shut();
          return { updateId: `u-${nodeGroup}`, adopted: false, alreadyThere: false };
        },
      },
    );
    await withUpgrade(env, closing, async (run) => {
      const status = await run.until(({ gates }) => gates.some((gate) => gate.id.startsWith('window')), ignoringWindows);
      const [gate] = status.gates;
      await run.decide(gate?.id ?? '', 'abort');
      expect((await run.finish(ignoringWindows)).outcome).toBe('aborted');
    });
    expect(inputs(world, 'startNodeGroupUpdate')).toHaveLength(5);
  });
});

describe('a run that starts outside the windows', () => {
  test('P1: where belay.yaml says queue it waits before its first step, and checks the cluster when the window is open', async () => {
    const windows: PlanWindows = { text: 'Sat 22:00–04:00 UTC', verdict: CLOSED, outside: 'queue' };
    const { world, activities, open } = withWindows(['pre-checks', 'control-plane'], ['control-plane']);
    const queued = withChange(
      { world, activities },
      {
        makePlan: async () => ({ kind: 'plan', plan: plan(['pre-checks', 'control-plane']), windows }),
      },
    );
    await withUpgrade(env, queued, async (run) => {
      await run.until(isOpen('window:pre-checks@1.32#1'));
      expect(count(world, 'runPreChecks')).toBe(0);
      open();
      expect((await run.finish(ignoringWindows)).outcome).toBe('completed');
    });
    expect(inputs(world, 'judgeWindow')[0]).toMatchObject({ phases: ['control-plane'] });
  });
});
