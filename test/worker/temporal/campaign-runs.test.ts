/** What a campaign sees of the runs of its clusters, by Temporal alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultDataConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { upgradeWorkflowId } from '../../../workflows/contract/ids.ts';
import { createCampaignRuns } from '../../../worker/temporal/campaign-runs.ts';
import { eventually } from '../../support/eventually.ts';
import { CLUSTER } from '../../support/facts.ts';
import { startTemporal } from '../../support/temporal.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const start = (workflowId: string, type: string, waitingFor?: string): Promise<unknown> =>
  env.client.workflow.start(type, {
    workflowId,
    taskQueue: 'nobody-works-here',
    args: [],
    searchAttributes: waitingFor === undefined ? {} : { BelayWaitingFor: [waitingFor] },
  });

test('a run waits for somebody also where one of its steps does, and not where a bake goes on by itself', async () => {
  const runs = createCampaignRuns({
    connection: () => env.nativeConnection,
    namespace: env.namespace ?? 'default',
    dataConverter: defaultDataConverter,
    interceptors: [],
    resolveCluster: () => CLUSTER,
  });
  const gate = async (): Promise<string | undefined> => {
    const found = await runs.find(CLUSTER);
    return found?.state === 'open' ? found.gate : 'not open';
  };
  const run = upgradeWorkflowId(CLUSTER);
  await start(run, 'upgradeCluster');
  expect(await gate()).toBeUndefined();
  await start(`${run}/bake@1.34`, 'bake', 'bake:bake@1.34#1');
  const listed = async (): Promise<number> => (await env.client.workflow.count('BelayWaitingFor IS NOT NULL')).count;
  await eventually('the bake is listed', async () => (await listed()) === 1);
  expect(await gate()).toBeUndefined();
  await start(`${run}/node-groups@1.34`, 'nodeGroups', 'blocked:node-groups@1.34/ip-10-0-1-7#1');
  await eventually('the step is listed', async () => (await listed()) === 2);
  expect(await gate()).toBe('blocked:node-groups@1.34/ip-10-0-1-7#1');
});
