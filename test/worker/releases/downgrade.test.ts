/** An older release that meets a run of a newer one, on a real server: it says so, the run is parked, and goes on once the newer one is back. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import proto from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { createUpgrades } from '../../../client/upgrades-client.ts';
import { buildIdOf } from '../../../worker/releases/build-id.ts';
import { runsOfNewerReleases } from '../../../worker/releases/newer-releases.ts';
import { TASK_QUEUE } from '../../../workflows/contract/ids.ts';
import { type ChangedWorkflows, changedWorkflows, patchedStart } from '../../support/changed-workflows.ts';
import { CLUSTER } from '../../support/facts.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { SAM, startUpgrade } from '../../support/upgrade.ts';
import { startBelayWorker } from '../support/belay-worker.ts';
import { eventually } from '../../support/eventually.ts';

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
const GATE = 'before:pre-checks@1.32#1';

let env: TestWorkflowEnvironment;
let newer: ChangedWorkflows;
beforeAll(async () => {
  env = await startTemporal();
  newer = changedWorkflows('run/upgrade-cluster.ts', patchedStart('of-a-later-release'));
});
afterAll(async () => {
  newer.remove();
  await env.teardown();
});

test('O13: a run that used a newer patch is parked with an alarm, and goes on when the newer release is back', async () => {
  const policy = quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: 3_600_000 } });
  const { activities } = fakeActivities({ policy, plan: plan(['pre-checks', 'control-plane', 'validation']) });
  const startNewer = (): Promise<Worker> =>
    startWorker(env, activities, TASK_QUEUE, {
      bundle: workflowBundle({ beside: newer.beside }),
      buildId: buildIdOf('99.0.0', 'bbbbbbbbbbbb'),
    });
  const first = await startNewer();
  const run = await first.runUntil(async () => {
    const started = await startUpgrade(env, TASK_QUEUE);
    await started.until(({ gates }) => gates.some(({ id }) => id === GATE));
    return started;
  });
  await eventually('listed', async () => ((await runsOfNewerReleases(env.connection, 'default', '0.1.0')).length === 1 ? true : undefined));

  const older = startBelayWorker(env.address);
  try {
    const line = await eventually('told', () => older.lines('which is newer than this one')[0]);
    expect(JSON.parse(line)).toMatchObject({ level: 50, runs: [{ workflowId: run.workflowId, release: '99.0.0' }] });
    expect(line).toContain('start the newer release again');

    const upgrades = createUpgrades({ client: env.client, resolveCluster: (name) => ({ ...CLUSTER, name }) });
    const answer = await upgrades.decide({
      workflowId: run.workflowId,
      gateId: GATE,
      choice: 'approve',
      actor: SAM,
      revision: 1,
      reason: 'fine',
    });
    expect(answer).toMatchObject({ how: 'kept' });
    const causes = await eventually('met', async () => {
      const { events } = await run.handle.fetchHistory();
      const failed = (events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes?.cause ?? []);
      return failed.length > 0 ? failed : undefined;
    });
    expect([...new Set(causes)]).toEqual([WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR]);
    expect((await run.handle.describe()).status.name).toBe('RUNNING');
  } finally {
    await older.end();
  }

  const back = await startNewer();
  expect(await back.runUntil(run.finish())).toMatchObject({ outcome: 'completed' });
}, 900_000);
