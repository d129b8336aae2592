/** A way back on EKS Auto Mode as a run: nodes first, cancelled by an abort until the control plane moves, and not after. */
import { CancelledFailure, Context } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { UpgradePlan } from '../../../../domain/plan/model/types.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { ALEX, choosing, type RunningUpgrade, SAM, untilFailed, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

function backPlan(): UpgradePlan {
  const steps = plan(['rollback-checks', 'control-plane-back', 'validation'], ({ phase }) =>
    phase === 'control-plane-back'
      ? step(phase, { params: { phase, from: '1.33', to: '1.32', managedBy: 'eks', autoMode: { nodeCount: 4, timeoutMinutes: 720 } } })
      : step(phase),
  );
  return { ...steps, kind: 'back', from: '1.33' };
}

const fakes = () => fakeActivities({ plan: backPlan(), policy: quickPolicy({ channel: 'C0UPGRADES' }) });
const back = { back: true } as const;

/** As a watcher does that is cancelled. */
async function untilCancelled(): Promise<never> {
  await Context.current().cancelled.catch(() => undefined);
  throw new CancelledFailure('cancelled');
}

/** Nodes go back for as long as nobody aborts. */
function withNodesGoing(fake: ReturnType<typeof fakes>, change: Partial<BelayActivities>): BelayActivities {
  return withChange(fake, { watchNodesBack: untilCancelled, ...change });
}

async function abortWhileNodesGo(run: RunningUpgrade, world: ReturnType<typeof fakes>['world']): Promise<void> {
  await run.until(() => count(world, 'watchNodesBack') > 0, choosing({}));
  await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'we stay' }] });
}

describe('a way back on Auto Mode', () => {
  test('nodes are told of as they go, then the control plane; EKS is told how long it may take', async () => {
    const fake = fakes();
    const left = [3, 1];
    const activities = withChange(fake, {
      watchNodesBack: async () => {
        const leftCount = left.shift();
        return leftCount === undefined ? { kind: 'moving' } : { kind: 'progress', leftCount };
      },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        const { world } = fake;
        expect(inputs(world, 'startControlPlaneUpdate')).toMatchObject([{ to: '1.32', back: true, nodesTimeoutMinutes: 720 }]);
        expect(inputs(world, 'watchNodesBack')).toMatchObject([{ updateId: 'u-1', tellAt: 3 }, { tellAt: 2 }, { tellAt: 0 }]);
        expect(count(world, 'cancelRollback')).toBe(0);
        expect(JSON.stringify(world.published)).toContain(
          'EKS now rolls the control plane back 1.33 → 1.32, which can no longer be stopped',
        );
      },
      back,
    );
  });

  test('an abort while nodes go back cancels the update, waits until EKS has, and says what stands', async () => {
    const fake = fakes();
    const activities = withNodesGoing(fake, {
      awaitUpdate: async () => ({ status: 'Cancelled', errors: [] }),
      readSkew: async () => ({ controlPlane: '1.33', updating: false, nodes: { '1.32': 1, '1.33': 3 } }),
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        await abortWhileNodesGo(run, fake.world);
        expect((await run.finish()).outcome).toBe('aborted');
        expect(inputs(fake.world, 'cancelRollback')).toMatchObject([{ updateId: 'u-1', token: expect.any(String) }]);
        const said = JSON.stringify(fake.world.published);
        expect(said).toContain('is cancelled: the control plane stays at 1.33. Nodes now: 1 at 1.32, 3 at 1.33.');
        expect(count(fake.world, 'validateCluster')).toBe(0);
      },
      back,
    );
  });

  test('an abort that comes too late is told so, and the control plane is watched to its end', async () => {
    const fake = fakes();
    const activities = withNodesGoing(fake, { cancelRollback: async () => ({ outcome: 'too-late' }) });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        await abortWhileNodesGo(run, fake.world);
        expect((await run.finish()).outcome).toBe('aborted');
        expect(count(fake.world, 'awaitUpdate')).toBe(1);
        expect(JSON.stringify(fake.world.published)).toContain('EKS can no longer cancel update `u-1`');
        expect(count(fake.world, 'validateCluster')).toBe(0);
      },
      back,
    );
  });

  test('a cancellation that EKS does not allow is an alarm with the command that people need', async () => {
    const fake = fakes();
    const activities = withNodesGoing(fake, {
      cancelRollback: async () => {
        throw failureOf('AccessDenied', 'cancelling update u-1: AWS answered AccessDeniedException');
      },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        await abortWhileNodesGo(run, fake.world);
        const report = await run.finish();
        expect(report).toMatchObject({ outcome: 'aborted', leftBehind: [{ what: 'EKS update u-1', kept: false }] });
        expect(JSON.stringify(fake.world.published)).toContain('aws eks cancel-update --name prod --region eu-central-1 --update-id u-1');
      },
      back,
    );
  });

  test('nodes that are not back in time end at a gate that says so; Retry asks EKS again with another token', async () => {
    const fake = fakes();
    let ends = 0;
    const activities = withChange(fake, {
      watchNodesBack: async () => ({ kind: (ends += 1) === 1 ? 'ended' : 'moving' }),
      awaitUpdate: async () =>
        ends === 1
          ? { status: 'Cancelled', errors: [], reason: 'The nodes did not roll back in time' }
          : { status: 'Successful', errors: [] },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const stopped = await untilFailed(run, 'control-plane-back@1.32');
        expect(stopped.gates[0]?.choices).toEqual(['retry', 'abort']);
        expect(stopped.headline).toContain('ended Cancelled before its nodes were back: The nodes did not roll back in time');
        await run.decide(stopped.gates[0]?.id ?? '', 'retry', { actor: SAM });
        expect((await run.finish()).outcome).toBe('completed');
        const tokens = inputs(fake.world, 'startControlPlaneUpdate').map((input) => (input as { token: string }).token);
        expect(new Set(tokens).size).toBe(2);
      },
      { ...back, requestedBy: ALEX },
    );
  });
});
