/** A start that is repeated, on a real server: by Temporal's own times it is told which run an earlier try has started. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultDataConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createMemberActivities } from '../../../../activities/run/campaign/members.ts';
import type { StartResult } from '../../../../domain/run/campaign/starts.ts';
import { createCampaignRuns } from '../../../../worker/temporal/campaign-runs.ts';
import { upgradeWorkflowId } from '../../../../workflows/contract/ids.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { fakeActivities } from '../../../support/fake-activities.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { startTemporal } from '../../../support/temporal.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('F27: a run that ended before its start was known is found by the start that is repeated; a start that is asked for later begins another', async () => {
  const cluster = { ...CLUSTER, name: `again-${randomUUID().slice(0, 8)}` };
  const { taskQueue, perform } = await sharedWorker(env);
  perform(cluster.name, fakeActivities().activities);
  const runs = createCampaignRuns({
    connection: () => env.nativeConnection,
    namespace: 'default',
    dataConverter: defaultDataConverter,
    interceptors: [],
    resolveCluster: () => cluster,
    taskQueue,
  });
  const { startMember } = createMemberActivities({
    aws: () => {
      throw new Error('AWS is not asked');
    },
    windows: { judgeWindow: async () => ({ kind: 'open' }) },
    windowsOf: () => undefined,
    store: { newest: async () => [] },
    runs,
  });
  const of = { campaign: 'to-1-32', ring: 'dev', attempt: 1 };
  const start = (askedAt: string): Promise<StartResult> =>
    startMember({ cluster, target: '1.32', of, requestedBy: { kind: 'cli', id: 'alex' }, askedAt });
  const handle = env.client.workflow.getHandle(upgradeWorkflowId(cluster));

  const asked = new Date(0).toISOString();
  const first = await start(asked);
  expect(first).toEqual({ kind: 'started', runId: (await handle.describe()).runId });
  const startedAtMs = (await handle.describe()).startTime.getTime();
  await handle.terminate('it failed');

  const found = { ...first, adopted: true };
  expect(await start(asked)).toEqual(found);
  expect(await start(new Date(startedAtMs).toISOString())).toEqual(found);
  const second = await start(new Date(startedAtMs + 1).toISOString());
  expect(second).toEqual({ kind: 'started', runId: (await handle.describe()).runId });
  expect(second).not.toMatchObject({ runId: (first as { runId: string }).runId });
  await handle.terminate('end of test');
});
