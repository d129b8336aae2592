/** A bad release that a tenth of the runs is tried on, on a real server: who meets it stands, and nothing is lost when it is taken back. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import proto from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { versioningOptions } from '../../../worker/releases/deployment.ts';
import { type ChangedWorkflows, withAnotherStart } from '../../support/changed-workflows.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { type RunningUpgrade, startUpgrade } from '../../support/upgrade.ts';
import { makeCurrent } from './make-current.ts';
import { eventually } from '../../support/eventually.ts';

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
const GATE = 'before:pre-checks@1.32#1';
/** The server chooses by the ids of runs: one of a hundred is among the tenth, but for once in 38,000 times. */
const RUNS_AT_ONCE = 10;
const MOST_RUNS = 100;
/** The server waits longer after each failed task. */
const ANSWER_LIMIT_MS = 300_000;

let env: TestWorkflowEnvironment;
let bad: ChangedWorkflows;
beforeAll(async () => {
  env = await startTemporal();
  bad = withAnotherStart();
});
afterAll(async () => {
  bad.remove();
  await env.teardown();
});

const failures = async (run: RunningUpgrade): Promise<(number | null | undefined)[]> => {
  const { events } = await run.handle.fetchHistory();
  return (events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes?.cause ?? []);
};

test('O16: a bad release at 10 %, then at 0 %: the runs that met it stood, and each run completes', async () => {
  const deploymentName = `belay-${randomUUID().slice(0, 8)}`;
  const [one, two] = [
    { deploymentName, buildId: 'v1' },
    { deploymentName, buildId: 'v2' },
  ];
  const policy = quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: 3_600_000 } });
  const { activities } = fakeActivities({ policy, plan: plan(['pre-checks']) });
  const taskQueue = `belay-${randomUUID()}`;
  const workers = await Promise.all([
    startWorker(env, activities, taskQueue, {
      bundle: workflowBundle({ versioned: true }),
      workerDeploymentOptions: versioningOptions(one),
    }),
    startWorker(env, activities, taskQueue, {
      bundle: workflowBundle({ versioned: true, beside: bad.beside }),
      workerDeploymentOptions: versioningOptions(two),
    }),
  ]);
  const running = workers.map((worker) => worker.run());
  const ramp = (percentage: number): Promise<unknown> =>
    eventually(`${percentage} %`, () =>
      env.connection.workflowService
        .setWorkerDeploymentRampingVersion({ namespace: 'default', identity: 'test', ...two, percentage })
        .catch(() => undefined),
    );
  try {
    await makeCurrent(env, one);
    const runs: RunningUpgrade[] = [];
    const met: RunningUpgrade[] = [];
    const decisions: Promise<unknown>[] = [];
    while (met.length === 0 && runs.length < MOST_RUNS) {
      const batch = await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => startUpgrade(env, taskQueue)));
      for (const run of batch) await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
      runs.push(...batch);
      await ramp(10);
      for (const run of batch) {
        let isAnswered = false;
        // A run that has met it by a timer of its own takes no update, and no query, before a worker of the other release has its task.
        const decided = eventually('decided', () => run.decide(GATE, 'approve').catch(() => undefined), ANSWER_LIMIT_MS);
        decisions.push(decided.then(() => (isAnswered = true)));
        await eventually('answered, or met', async () => isAnswered || (await failures(run)).length > 0 || undefined);
        if (!isAnswered) met.push(run);
      }
      // Those that come after begin on the release that works.
      await ramp(0);
    }
    expect(met.length).toBeGreaterThan(0);
    for (const run of met) {
      expect(new Set(await failures(run))).toEqual(new Set([WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR]));
      expect((await run.handle.describe()).status.name).toBe('RUNNING');
    }
    await Promise.all(decisions);
    const outcomes = await Promise.all(runs.map(async (run) => (await run.finish()).outcome));
    expect(new Set(outcomes)).toEqual(new Set(['completed']));
  } finally {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  }
}, 900_000);
