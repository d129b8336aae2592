/** A run that is asked while no worker has taken up its latest events: what it does next is what a replay does. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Worker } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { upgradeStatus } from '../../../workflows/contract/messages.ts';
import { READ_AGAIN } from '../../../workflows/contract/read-again.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { startUpgrade } from '../../support/upgrade.ts';

/** Query and task come to the new worker together, in either order. */
const ROUNDS = 12;

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('a query that overtakes the events that came before it is refused, changes nothing, and the run goes on', async () => {
  const taskQueue = `belay-${randomUUID()}`;
  const policy = quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: 3_600_000, boardEditMs: 2_000 } });
  const { activities } = fakeActivities({ policy, plan: plan(['pre-checks']) });
  const begin = async (): Promise<() => Promise<void>> => {
    const worker = await startWorker(env, activities, taskQueue);
    const ended = worker.run();
    return async () => {
      worker.shutdown();
      await ended;
    };
  };
  let end = await begin();
  try {
    const run = await startUpgrade(env, taskQueue);
    await run.until(({ gates }) => gates.length > 0);
    let refusedCount = 0;
    for (let round = 0; refusedCount === 0 && round < ROUNDS; round += 1) {
      await end();
      const refusal = run.handle.query(upgradeStatus).then(
        () => '',
        (error: unknown) => String(error),
      );
      // It waits for a worker by then, and so does what comes after it.
      await sleep(300);
      await run.handle.signal('nobody-listens', round);
      end = await begin();
      if ((await refusal).includes(READ_AGAIN)) refusedCount += 1;
      // Asked again as the command line and Slack do.
      expect((await run.status()).gates).toHaveLength(1);
    }
    expect(refusedCount).toBeGreaterThan(0);
    expect((await run.finish()).outcome).toBe('completed');
    const history = await run.handle.fetchHistory();
    const failures = (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
    expect(failures.filter((message) => message !== 'UnhandledCommand')).toEqual([]);
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, run.workflowId);
  } finally {
    await end();
  }
});
