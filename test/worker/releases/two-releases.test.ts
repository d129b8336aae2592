/** Two releases on one queue of a real server: the worker and the doctor say so within a minute. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { examineReleases } from '../../../worker/doctor/releases.ts';
import { buildIdOf, thisRelease } from '../../../worker/releases/build-id.ts';
import { bundleId } from '../../../worker/temporal/workflow-bundle.ts';
import { TASK_QUEUE } from '../../../workflows/contract/ids.ts';
import { type ChangedWorkflows, withAnotherStart } from '../../support/changed-workflows.ts';
import { fakeActivities } from '../../support/fake-activities.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { startBelayWorker } from '../support/belay-worker.ts';
import { eventually } from '../../support/eventually.ts';

let env: TestWorkflowEnvironment;
let other: ChangedWorkflows;
beforeAll(async () => {
  env = await startTemporal();
  other = withAnotherStart();
});
afterAll(async () => {
  other.remove();
  await env.teardown();
});

const failures = async (): Promise<string[]> =>
  (await examineReleases(env.connection, 'default', {})).filter(({ status }) => status === 'failed').map(({ message }) => message);

test('O12: another release that polls the same queue is told by the worker that was there, and by the doctor', async () => {
  const [here, there] = [buildIdOf(thisRelease(), bundleId({})), buildIdOf('0.0.9', bundleId({ beside: other.beside }))];
  expect(bundleId({ beside: other.beside })).not.toBe(bundleId({}));
  const worker = startBelayWorker(env.address);
  try {
    await eventually('polling', async () => ((await failures()).length === 0 ? true : undefined));
    expect(worker.lines('releases poll one task queue')).toEqual([]);

    const second = await startWorker(env, fakeActivities().activities, TASK_QUEUE, {
      bundle: workflowBundle({ beside: other.beside }),
      buildId: there,
    });
    const running = second.run();
    const startedAt = performance.now();
    try {
      const line = await eventually('told', () => worker.lines('releases poll one task queue')[0]);
      // The promise to whoever deploys: in a minute they know.
      expect(performance.now() - startedAt).toBeLessThan(60_000);
      expect(JSON.parse(line)).toMatchObject({
        level: 40,
        peers: expect.arrayContaining([expect.objectContaining({ buildId: here }), expect.objectContaining({ buildId: there })]),
      });
      expect(await failures()).toEqual([
        expect.stringMatching(/^2 releases poll one task queue, and fail each other's runs: 0\.0\.9 \(bundle/),
      ]);
    } finally {
      second.shutdown();
      await running;
    }
  } finally {
    await worker.end();
  }
}, 720_000);
