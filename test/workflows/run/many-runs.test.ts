/** Many clusters at once: each is a run of its own, above which there is nothing that could fail with it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { count, type FakeWorld, fakeActivities, withChange } from '../../support/fake-activities.ts';
import { together } from '../../support/many-clusters.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { approveAll, choosing, type RunningUpgrade, startUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

interface Cluster {
  world: FakeWorld;
  activities: BelayActivities;
  run?: RunningUpgrade;
}

function clusters(number: number, change: (index: number) => Partial<BelayActivities> = () => ({})): Cluster[] {
  return Array.from({ length: number }, (_, index) => {
    const fake = fakeActivities({ plan: plan(['control-plane']) });
    return { world: fake.world, activities: withChange(fake, change(index)) };
  });
}

/** The runs, all started at once. */
async function start(all: Cluster[], taskQueue: string): Promise<RunningUpgrade[]> {
  return Promise.all(
    all.map(async (cluster) => {
      const run = await startUpgrade(env, taskQueue);
      cluster.run = run;
      return run;
    }),
  );
}

test('P7: one of many clusters fails: its run asks and is aborted, the others end as if it were not there', async () => {
  const all = clusters(12, (index) =>
    index === 7
      ? {
          startControlPlaneUpdate: async () => {
            throw ApplicationFailure.nonRetryable('EKS said no', 'InvalidRequest');
          },
        }
      : {},
  );
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, together(all), taskQueue);
  await worker.runUntil(async () => {
    const runs = await start(all, taskQueue);
    const reports = await Promise.all(runs.map((run) => run.finish(choosing({}))));
    expect(reports.map(({ outcome }) => outcome)).toEqual(all.map((_, index) => (index === 7 ? 'aborted' : 'completed')));
    expect(all.map(({ world }) => world.controlPlane)).toEqual(all.map((_, index) => (index === 7 ? '1.31' : '1.32')));
    expect(all.map(({ world }) => count(world, 'startControlPlaneUpdate'))).toEqual(all.map(() => 1));
  });
});

test('P8: no run belongs to another: one that is terminated, and a worker that goes, leave the others where they are', async () => {
  const all = clusters(6);
  const taskQueue = `belay-${randomUUID()}`;
  const first = await startWorker(env, together(all), taskQueue);
  const atGate = (run: RunningUpgrade) => run.until(({ gates }) => gates.some(({ id }) => id === 'before:control-plane@1.32#1'));
  const runs = await first.runUntil(async () => {
    const started = await start(all, taskQueue);
    await Promise.all(started.map(atGate));
    return started;
  });
  const parents = await Promise.all(
    runs.map(async ({ handle }) => (await handle.describe()).raw.workflowExecutionInfo?.parentExecution ?? null),
  );
  expect(parents).toEqual(runs.map(() => null));
  await runs[2]?.handle.terminate('somebody ends it in Temporal UI');
  const second = await startWorker(env, together(all), taskQueue);
  await second.runUntil(async () => {
    const others = runs.filter((_, index) => index !== 2);
    const reports = await Promise.all(others.map((run) => run.finish(approveAll)));
    expect(reports.map(({ outcome }) => outcome)).toEqual(others.map(() => 'completed'));
    expect(all.map(({ world }) => count(world, 'startControlPlaneUpdate'))).toEqual([1, 1, 0, 1, 1, 1]);
  });
});

test('T20: forty clusters are due at once: each is at its gate, and each decision reaches its own run alone', async () => {
  const all = clusters(40);
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, together(all), taskQueue);
  await worker.runUntil(async () => {
    const runs = await start(all, taskQueue);
    for (const run of runs) await run.until(({ gates }) => gates.length > 0);
    const approved = runs.filter((_, index) => index % 2 === 0);
    const replies = await Promise.all(approved.map((run) => run.decide('before:control-plane@1.32#1', 'approve')));
    expect(replies.every(({ accepted }) => accepted)).toBe(true);
    const reports = await Promise.all(approved.map((run) => run.finish(() => undefined)));
    expect(reports.every(({ outcome }) => outcome === 'completed')).toBe(true);
    expect(all.map(({ world }) => world.controlPlane)).toEqual(all.map((_, index) => (index % 2 === 0 ? '1.32' : '1.31')));
    await Promise.all(runs.filter((_, index) => index % 2 === 1).map(({ handle }) => handle.terminate('end of test')));
  });
});
