/** The clock of the way back where a run has ended before EKS has: the seven days run all the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { ROLLBACK_WINDOW_MS, type VersionChange, wayBack } from '../../../domain/facts/rollback-window.ts';
import { rollbackWindowId } from '../../../workflows/contract/ids.ts';
import { abortUpgrade, controlPlaneMoved, type RollbackWindowInput } from '../../../workflows/contract/messages.ts';
import { type FakeWorld, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, SAM, withUpgrade } from '../../support/upgrade.ts';
import { stampedNow } from '../../support/stamped.ts';
import type { UpdateOutcome } from '../../../activities/contract/eks.ts';
import { eventually } from '../../support/eventually.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const MOVED_AT = '2026-11-02T09:00:00.000Z';
const timing = { ...quickPolicy().timing, rollbackWindowMs: ROLLBACK_WINDOW_MS };
const policy = quickPolicy({ channel: 'C0UPGRADES', timing });

const notes = ({ published }: FakeWorld): string[] =>
  published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));

/** EKS at 1.31, whose update to 1.32 ends when told to. */
class SlowEks {
  readonly #changes: VersionChange[] = [{ type: 'VersionUpdate', to: '1.31', createdAt: '2026-11-01T09:00:00.000Z' }];
  #version = '1.31';
  #end: UpdateOutcome | undefined;
  #told: () => void = () => undefined;
  readonly #ended = new Promise<void>((resolve) => (this.#told = resolve));

  end(status: UpdateOutcome['status']): void {
    this.#end = { status, errors: [], createdAt: MOVED_AT };
    if (status === 'Successful') {
      this.#version = '1.32';
      this.#changes.push({ type: 'VersionUpdate', to: '1.32', createdAt: MOVED_AT });
    }
    this.#told();
  }

  untilEnd: BelayActivities['awaitUpdate'] = async () => {
    await this.#ended;
    return this.#end ?? { status: 'TimedOut', errors: [] };
  };

  read: BelayActivities['readRollbackWindow'] = async () => {
    const now = '2026-11-02T10:00:00.000Z';
    return { now, back: wayBack(this.#version, this.#changes, now) };
  };
}

const clockOf = (workflowId: string) => env.client.workflow.getHandle(rollbackWindowId(workflowId));

async function startedWith(workflowId: string): Promise<RollbackWindowInput> {
  const [started] = (await clockOf(workflowId).fetchHistory()).events ?? [];
  return JSON.parse(Buffer.from(started?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? '').toString());
}

/** A run to 1.32 whose control plane is all that it moves. */
function slowRun(change: (eks: SlowEks) => Partial<BelayActivities> = () => ({})) {
  const eks = new SlowEks();
  const fake = fakeActivities({ policy, plan: plan(['pre-checks', 'control-plane', 'bake']) });
  const activities = withChange(fake, { readRollbackWindow: eks.read, awaitUpdate: eks.untilEnd, ...change(eks) });
  return { eks, world: fake.world, activities };
}

test('aborted while EKS moves it: the step is watched to its end, then the clock starts', async () => {
  const { eks, activities } = slowRun();
  await withUpgrade(env, activities, async (run) => {
    const cannotBeStopped = ({ note = '' }: { note?: string }): boolean => note.includes('cannot be stopped');
    await run.until(({ steps }) => steps.some(cannotBeStopped), approveAll);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'it takes too long' }] });
    eks.end('Successful');
    const report = await run.finish();
    expect(report).toMatchObject({ outcome: 'aborted', status: { takeBack: { to: '1.31', until: '2026-11-09T09:00:00.000Z' } } });
    const input = await startedWith(run.workflowId);
    expect([input.at, input.pending]).toEqual(['1.32', undefined]);
    expect((await clockOf(run.workflowId).describe()).status.name).toBe('RUNNING');
    await clockOf(run.workflowId).terminate();
  });
});

describe('people end the run when EKS takes longer than its limit', () => {
  const GATE = 'blocked:control-plane@1.32/update#1';

  /** People are asked, and give up; the clock waits for EKS. */
  const impatient = (eks: SlowEks): Partial<BelayActivities> => {
    let looks = 0;
    return {
      awaitUpdate: async (asked) => {
        looks += 1;
        return looks === 1 ? { status: 'TimedOut', errors: [] } : await eks.untilEnd(asked);
      },
    };
  };

  test('EKS ends it later: the thread hears until when it goes back', async () => {
    const { eks, world, activities } = slowRun(impatient);
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish(choosing({ [GATE]: 'abort' }));
      expect(report.outcome).toBe('aborted');
      expect(await startedWith(run.workflowId)).toMatchObject({ at: '1.31', pending: { to: '1.32' } });
      expect(notes(world).join('\n')).not.toContain('after its run had ended');
      eks.end('Successful');
      await eventually(() => notes(world).some((text) => text.includes('after its run had ended')));
      expect(notes(world).find((text) => text.includes('after its run had ended'))).toContain(
        'EKS moved prod to 1.32 after its run had ended. Until 2026-11-09 09:00 UTC it can be rolled back to 1.31, once no node is newer than 1.31: ' +
          '`belay rollback prod --dry-run` shows the plan. To continue instead, start the upgrade to 1.32 again.',
      );
      expect((await clockOf(run.workflowId).describe()).status.name).toBe('RUNNING');
      await clockOf(run.workflowId).terminate();
    });
  });

  test('it comes to nothing: the clock goes on with what it watched before', async () => {
    const { eks, world, activities } = slowRun(impatient);
    await withUpgrade(env, activities, async (run) => {
      await run.finish(choosing({ [GATE]: 'abort' }));
      eks.end('Failed');
      await eventually(() => inputs(world, 'readRollbackWindow').length > 0);
      const clock = clockOf(run.workflowId);
      expect((await clock.describe()).status.name).toBe('RUNNING');
      await clock.signal(controlPlaneMoved, stampedNow(controlPlaneMoved, {}));
      await eventually(() => inputs(world, 'readRollbackWindow').length > 1);
      expect(notes(world).join('\n')).not.toContain('after its run had ended');
      await clock.terminate();
    });
  });
});

test('an update that has ended badly starts no clock', async () => {
  const { eks, activities } = slowRun();
  eks.end('Failed');
  await withUpgrade(env, activities, async (run) => {
    await run.finish(choosing({ 'failed:control-plane@1.32#1': 'abort' }));
    await expect(clockOf(run.workflowId).describe()).rejects.toThrow();
  });
});

test('somebody else has moved it before the step began: the clock watches it all the same', async () => {
  const { eks, activities } = slowRun(() => ({ startControlPlaneUpdate: async () => ({ adopted: false, alreadyThere: true }) }));
  eks.end('Successful');
  await withUpgrade(env, activities, async (run) => {
    expect((await run.finish()).outcome).toBe('completed');
    expect(await startedWith(run.workflowId)).toMatchObject({ at: '1.32' });
    expect((await clockOf(run.workflowId).describe()).status.name).toBe('RUNNING');
    await clockOf(run.workflowId).terminate();
  });
});
