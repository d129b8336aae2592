/** A way back that takes what runs on Fargate down: nothing without a yes, and up again whatever ends the step. */
import { CancelledFailure, Context } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { UpgradePlan } from '../../../../domain/plan/model/types.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { choosing, SAM, untilFailed, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'change:control-plane-back@1.32/fargate#1';
const FAILED = 'control-plane-back@1.32';
const back = { back: true } as const;
const NONE = { stuck: [], dns: false, cronJobs: [], budgets: [] };

function backPlan(): UpgradePlan {
  const steps = plan(['rollback-checks', 'control-plane-back', 'validation'], ({ phase }) =>
    phase === 'control-plane-back'
      ? step(phase, { params: { phase, from: '1.33', to: '1.32', managedBy: 'eks', fargate: { podCount: 2, workloadCount: 1 } } })
      : step(phase),
  );
  return { ...steps, kind: 'back', from: '1.33' };
}

const fakes = () => fakeActivities({ plan: backPlan(), policy: quickPolicy({ channel: 'C0UPGRADES' }) });
type World = ReturnType<typeof fakes>['world'];

const names = ({ calls }: World): string[] =>
  calls
    .map(({ name }) => name)
    .filter((name) => ['stopFargate', 'awaitFargateStopped', 'startControlPlaneUpdate', 'awaitUpdate', 'startFargate'].includes(name));
const said = (world: World): string => JSON.stringify(world.published);

describe('what runs on Fargate', () => {
  test('is named at a gate of its own, stands still before EKS is asked, and starts when the control plane is back', async () => {
    const fake = fakes();
    const activities = withChange(fake, {
      readFargateBack: async (input) => ({
        ...(await fake.activities.readFargateBack(input)),
        cronJobs: ['batch/nightly'],
        budgets: ['batch/worker'],
      }),
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        const { world } = fake;
        expect(names(world)).toEqual(['stopFargate', 'awaitFargateStopped', 'startControlPlaneUpdate', 'awaitUpdate', 'startFargate']);
        expect(world.stopped).toEqual([]);
        // Before it is stopped it stands in nobody's way; right before EKS is asked it does.
        expect(inputs(world, 'checkWayBack')).toMatchObject([{}, { later: [FAILED] }, { later: [] }]);
        expect(said(world)).toContain('Take 1 workload on Fargate DOWN until the control plane is back at 1.32?');
        expect(said(world)).toContain('Deployment batch/worker, 2 replicas');
        expect(said(world)).toContain('CronJobs may start newer pods in the meantime: suspend batch/nightly');
        expect(said(world)).toContain('1 workload on Fargate runs again.');
      },
      back,
    );
  });

  test('stays up where people say no: EKS is not asked', async () => {
    const fake = fakes();
    await withUpgrade(
      env,
      fake.activities,
      async (run) => {
        const decider = choosing({ [GATE]: 'reject', [`failed:${FAILED}#1`]: 'none' });
        const stopped = await run.until(({ gates }) => gates.some(({ id }) => id.startsWith('failed:')), decider);
        expect(stopped.headline).toContain('Stopping what runs on Fargate: rejected; nothing was stopped');
        expect(names(fake.world)).toEqual([]);
      },
      back,
    );
  });

  test('an abort while it goes down starts it again, and EKS is not asked', async () => {
    const fake = fakes();
    const activities = withChange(fake, {
      awaitFargateStopped: async () => {
        await Context.current().cancelled.catch(() => undefined);
        throw new CancelledFailure('cancelled');
      },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        await run.until(() => count(fake.world, 'awaitFargateStopped') > 0, choosing({}));
        expect(fake.world.stopped).toEqual(['Deployment batch/worker']);
        await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'we stay' }] });
        expect((await run.finish()).outcome).toBe('aborted');
        expect(fake.world.stopped).toEqual([]);
        expect(names(fake.world)).toEqual(['stopFargate', 'awaitFargateStopped', 'startFargate']);
      },
      back,
    );
  });

  test('starts again where EKS fails, and what cannot be started is an alarm and a line of the report', async () => {
    const fake = fakes();
    const activities = withChange(fake, {
      awaitUpdate: async () => ({ status: 'Failed', errors: [{ code: 'Unknown', message: 'it broke', resourceIds: [] }] }),
      startFargate: async () => ({ startedCount: 0, changedByOthers: [], failed: [{ workload: 'Deployment batch/worker', why: 'quota' }] }),
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const stopped = await untilFailed(run, FAILED);
        await run.decide(stopped.gates[0]?.id ?? '', 'abort');
        const report = await run.finish();
        expect(report.outcome).toBe('aborted');
        expect(said(fake.world)).toContain('Deployment batch/worker is still DOWN, because it could not be started again: quota');
        expect(JSON.stringify(report)).toContain('replicas of Deployment batch/worker');
      },
      back,
    );
  });

  test('does not go away in time: nothing is sent to EKS, and it starts again', async () => {
    const fake = fakes();
    const activities = withChange(fake, {
      awaitFargateStopped: async () => ({ timedOut: true, left: ['Pod batch/worker-a of ReplicaSet worker-1'] }),
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const stopped = await untilFailed(run, FAILED);
        expect(stopped.headline).toContain('Stopping what runs on Fargate: Pod batch/worker-a of ReplicaSet worker-1 is still there');
        expect(fake.world.stopped).toEqual([]);
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
      },
      back,
    );
  });

  test('what has become unstoppable since the plan refuses before anything is stopped', async () => {
    const fake = fakes();
    const stuck = [{ workload: 'Job batch/import', why: 'A Job loses its work when it is stopped' }];
    const activities = withChange(fake, { readFargateBack: async () => ({ ...NONE, podCount: 1, workloads: [], stuck }) });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const stopped = await untilFailed(run, FAILED);
        expect(stopped.headline).toContain(
          'Belay does not stop Job batch/import on Fargate, and has stopped nothing. A Job loses its work when it is stopped.',
        );
        expect(names(fake.world)).toEqual([]);
      },
      back,
    );
  });

  test('what somebody starts meanwhile stands still once more, so that it comes up at the older minor', async () => {
    const fake = fakes();
    let looks = 0;
    const activities = withChange(fake, {
      readFargateBack: async (input) => {
        looks += 1;
        const worker = { kind: 'Deployment' as const, namespace: 'batch', name: 'worker', replicas: 2 };
        return looks === 2 ? { ...NONE, podCount: 1, workloads: [worker] } : await fake.activities.readFargateBack(input);
      },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        expect(names(fake.world)).toEqual([
          'stopFargate',
          'awaitFargateStopped',
          'startControlPlaneUpdate',
          'awaitUpdate',
          'stopFargate',
          'awaitFargateStopped',
          'startFargate',
        ]);
        expect(said(fake.world)).toContain('started while the control plane was rolling back');
      },
      back,
    );
  });
});
