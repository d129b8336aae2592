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

const runs = createCampaignRuns({
  connection: () => env.nativeConnection,
  namespace: 'default',
  dataConverter: defaultDataConverter,
  interceptors: [],
  resolveCluster: () => CLUSTER,
});

test('a run waits for somebody also where one of its steps does, and not where a bake goes on by itself', async () => {
  const waits = async () => {
    const found = await runs.find(CLUSTER);
    return found?.state === 'open' ? { gate: found.gate, byItself: found.byItself } : 'not open';
  };
  const run = upgradeWorkflowId(CLUSTER);
  await start(run, 'upgradeCluster');
  expect(await waits()).toEqual({});
  await start(`${run}/bake@1.34`, 'bake', 'bake:bake@1.34#1');
  const listed = async (): Promise<number> => (await env.client.workflow.count('BelayWaitingFor IS NOT NULL')).count;
  await eventually('the bake is listed', async () => (await listed()) === 1);
  expect(await waits()).toEqual({ byItself: 'bake:bake@1.34#1' });
  await start(`${run}/node-groups@1.34`, 'nodeGroups', 'blocked:node-groups@1.34/ip-10-0-1-7#1');
  await eventually('the step is listed', async () => (await listed()) === 2);
  expect(await waits()).toEqual({ gate: 'blocked:node-groups@1.34/ip-10-0-1-7#1', byItself: 'bake:bake@1.34#1' });
});

test('a run that is parked until its window opens asks nobody', async () => {
  const other = { ...CLUSTER, name: 'parked' };
  await start(upgradeWorkflowId(other), 'upgradeCluster', 'window:node-groups@1.34#1');
  const found = await runs.find(other);
  expect(found).toMatchObject({ state: 'open', byItself: 'window:node-groups@1.34#1' });
  expect(found).not.toHaveProperty('gate');
});
