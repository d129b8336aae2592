/** Workflows of one thread share their modules, and none has the grant of another. */
import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { fakeActivities } from '../../../support/fake-activities.ts';
import { startTemporal, startWorker, workflowBundle } from '../../../support/temporal.ts';

const QUEUE = 'own-grant';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('workflows that wait beside each other have each their own grant', async () => {
  const bundle = workflowBundle({ moreInterceptors: [fileURLToPath(new URL('./using-a-grant.ts', import.meta.url))] });
  const worker = await startWorker(env, fakeActivities().activities, QUEUE, { bundle });
  const names = ['first', 'second', 'third'];
  const idOf = (name: string): string => `${QUEUE}/${name}`;
  const grants = await worker.runUntil(() =>
    Promise.all(
      names.map((name) => env.client.workflow.execute(WORKFLOWS.upgrade, { workflowId: idOf(name), taskQueue: QUEUE, args: [{}] })),
    ),
  );
  expect(grants).toEqual(names.map((name) => `grant of ${idOf(name)}`));
});
