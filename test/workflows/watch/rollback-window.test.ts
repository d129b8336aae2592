/** The clock of the way back: reminders before EKS closes the window, its end, and what makes it end earlier. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { ROLLBACK_WINDOW_MS, wayBack, type VersionChange } from '../../../domain/facts/rollback-window.ts';
import { rollbackWindowId } from '../../../workflows/contract/ids.ts';
import { controlPlaneMoved, type RollbackWindowInput, WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { CLUSTER } from '../../support/facts.ts';
import { type FakeWorld, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startWorker, startTemporal } from '../../support/temporal.ts';
import { choosing, withUpgrade } from '../../support/upgrade.ts';
import { stampedNow } from '../../support/stamped.ts';
import { eventually } from '../../support/eventually.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const MOVED_AT = '2026-11-02T09:00:00.000Z';
const DAY_MS = 24 * 3_600_000;
/** Seven days of EKS in this time. */
const WINDOW_MS = 14_000;

/** EKS, whose days go by as fast as the clock's; it is asked from `day` on. */
class FakeEks {
  readonly changes: VersionChange[] = [{ type: 'VersionUpdate', to: '1.32', createdAt: MOVED_AT }];
  version = '1.32';
  /** It is first asked when the worker is up. */
  #startMs: number | undefined;
  readonly #day: number;

  constructor(day: number) {
    this.#day = day;
  }

  read: BelayActivities['readRollbackWindow'] = async () => {
    this.#startMs ??= Date.now();
    const elapsedMs = ((Date.now() - this.#startMs) * ROLLBACK_WINDOW_MS) / WINDOW_MS;
    const now = new Date(Date.parse(MOVED_AT) + this.#day * DAY_MS + elapsedMs).toISOString();
    return { now, back: wayBack(this.version, this.changes, now) };
  };
}

const timing = { ...quickPolicy().timing, rollbackWindowMs: WINDOW_MS };
const policy = quickPolicy({ channel: 'C0UPGRADES', timing });
const upgrade = { workflowId: 'eks-upgrade/111122223333/eu-central-1/prod', runId: 'run-1' };
const input: RollbackWindowInput = { cluster: CLUSTER, upgrade, policy, at: '1.32' };

const notes = ({ published }: FakeWorld): string[] =>
  published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));

async function clock<T>(eks: FakeEks, main: (handle: Awaited<ReturnType<typeof start>>, world: FakeWorld) => Promise<T>): Promise<T> {
  const fake = fakeActivities({ policy });
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, withChange(fake, { readRollbackWindow: eks.read }), taskQueue);
  return worker.runUntil(async () => main(await start(taskQueue), fake.world));
}

const start = (taskQueue: string) =>
  env.client.workflow.start(WORKFLOWS.rollbackWindow, { workflowId: `eks-rollback-window/${randomUUID()}`, taskQueue, args: [input] });

describe('the clock of the way back', () => {
  test('A27: the thread hears a day and an hour before the window closes, and that it has closed', async () => {
    await clock(new FakeEks(5), async (handle, world) => {
      expect(await handle.result()).toBe('closed');
      const [day, hour, closed, ...more] = notes(world);
      expect(day).toMatch(/One more day: EKS can still roll prod back from 1\.32 to 1\.31 until 2026-11-09 09:00 UTC.*belay rollback prod/);
      expect(hour).toContain('One more hour: EKS can still roll prod back');
      expect(closed).toContain('prod stays at 1.32: the seven days in which EKS rolls a control plane back to 1.31 are over.');
      expect(more).toEqual([]);
      expect(new Set(world.published.map((p) => p.upgrade.runId))).toEqual(new Set(['run-1']));
    });
  });

  test('a cluster that has been rolled back needs no reminder', async () => {
    const eks = new FakeEks(1);
    await clock(eks, async (handle, world) => {
      await eventually(() => inputs(world, 'readRollbackWindow').length > 0);
      eks.version = '1.31';
      eks.changes.push({ type: 'VersionRollback', to: '1.31', createdAt: '2026-11-03T09:00:00.000Z' });
      await handle.signal(controlPlaneMoved, stampedNow(controlPlaneMoved, {}));
      expect(await handle.result()).toBe('rolled-back');
      expect(notes(world)).toEqual([]);
    });
  });

  test('after the next hop the same clock speaks of that one, in the thread of its run', async () => {
    const eks = new FakeEks(5.5);
    await clock(eks, async (handle, world) => {
      await eventually(() => inputs(world, 'readRollbackWindow').length > 0);
      eks.version = '1.33';
      eks.changes.push({ type: 'VersionUpdate', to: '1.33', createdAt: '2026-11-02T21:00:00.000Z' });
      await handle.signal(
        controlPlaneMoved,
        stampedNow(controlPlaneMoved, { up: { ...input, at: '1.33', upgrade: { ...upgrade, runId: 'run-2' } } }),
      );
      await eventually(() => notes(world).length > 0);
      expect(notes(world)[0]).toContain('back from 1.33 to 1.32');
      expect(world.published[0]?.upgrade.runId).toBe('run-2');
      await handle.terminate();
    });
  });

  test('a run starts it when its control plane has moved, and does not end it', async () => {
    const fake = fakeActivities({ policy, plan: plan(['pre-checks', 'control-plane']) });
    const eks = new FakeEks(0);
    const activities = withChange(fake, {
      readRollbackWindow: eks.read,
      awaitUpdate: async () => ({ status: 'Successful', errors: [], createdAt: MOVED_AT }),
    });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish();
      expect(report.status.takeBack).toEqual({ to: '1.31', until: '2026-11-09T09:00:00.000Z' });
      const handle = env.client.workflow.getHandle(rollbackWindowId(run.workflowId));
      expect((await handle.describe()).status.name).toBe('RUNNING');
      await handle.terminate();
    });
  });
});

describe('between two hops of one run', () => {
  const twoHops = plan(['control-plane', 'bake', 'validation']);
  const [up, bake, last] = twoHops.steps;
  const steps = [
    up,
    bake,
    up === undefined
      ? undefined
      : {
          ...up,
          id: 'control-plane@1.33' as const,
          params: { phase: 'control-plane' as const, from: '1.32', to: '1.33', managedBy: 'eks' as const },
        },
    last,
  ];

  test.each([
    { what: 'stopped in between: the clock of the first hop starts at the end', failing: true, to: '1.31' },
    { what: 'both done: one clock, for the second', failing: false, to: '1.32' },
  ])('$what', async ({ failing, to }) => {
    const fake = fakeActivities({ policy, plan: { ...twoHops, steps: steps.filter((step) => step !== undefined) } });
    const activities = withChange(fake, {
      readRollbackWindow: new FakeEks(0).read,
      awaitUpdate: async (asked) =>
        failing && asked.to === '1.33' ? { status: 'Failed', errors: [] } : { status: 'Successful', errors: [], createdAt: MOVED_AT },
    });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish(choosing({ 'failed:control-plane@1.33#1': 'abort' }));
      expect(report.status.takeBack?.to).toBe(to);
      const handle = env.client.workflow.getHandle(rollbackWindowId(run.workflowId));
      const [started] = (await handle.fetchHistory()).events ?? [];
      const input = Buffer.from(started?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? '').toString();
      expect(input).toContain(`"at":"${failing ? '1.32' : '1.33'}"`);
      await handle.terminate().catch(() => undefined);
    });
  });
});
