/** A request of Slack is taken once, whichever process asks, and by the server alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { claimRequest } from '../../../client/calls/claim-request.ts';
import { createRetries } from '../../../client/calls/grpc-retries.ts';
import { CLUSTER } from '../../slack/fixtures.ts';
import { startTemporal } from '../../support/temporal.ts';

const SETTINGS = { resolveCluster: () => CLUSTER, taskQueue: 'nobody-polls-here' };

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('O31: of two at the same moment one takes it; later it stays taken, also once its workflow has closed', async () => {
  const claim = (id: string): Promise<boolean> => claimRequest(env.client, SETTINGS, id);
  expect((await Promise.all([claim('1.2.first'), claim('1.2.first')])).toSorted()).toEqual([false, true]);
  expect(await claim('1.2.second')).toBe(true);
  expect(await claim('1.2.first')).toBe(false);
  const taken = [];
  for await (const { workflowId } of env.client.workflow.list({ query: "TaskQueue = 'nobody-polls-here'" })) taken.push(workflowId);
  for (const workflowId of taken) await env.client.workflow.getHandle(workflowId).terminate();
  expect(await claim('1.2.first')).toBe(false);
});

test('where Temporal does not answer it is not taken, and the sentence says so', async () => {
  const retries = createRetries();
  const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [retries.interceptor] });
  await expect(claimRequest(new Client({ connection }), SETTINGS, '1.2.3')).rejects.toMatchObject({
    code: 'unreachable',
    message: 'Temporal at 127.0.0.1:1 does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.',
  });
  await retries.end();
  await connection.close();
});
