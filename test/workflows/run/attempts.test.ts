/** What bounds a call, as the server was asked for it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { fakeActivities } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('RA11: no call of a step has a time-out that goes on while no worker is there: attempts are bounded instead', async () => {
  const fake = fakeActivities({ plan: plan(['pre-checks', 'control-plane']) });
  await withUpgrade(env, fake.activities, async (run) => {
    expect((await run.finish()).outcome).toBe('completed');
    const asked = new Map<string, { closesAfter: number; attempts: number }>();
    for (const id of [run.workflowId, `${run.workflowId}/pre-checks@1.32`, `${run.workflowId}/control-plane@1.32`]) {
      const { events } = await env.client.workflow.getHandle(id).fetchHistory();
      for (const { activityTaskScheduledEventAttributes: one } of events ?? []) {
        const closesAfter = Number(one?.scheduleToCloseTimeout?.seconds ?? 0);
        if (one?.activityType?.name != null)
          asked.set(one.activityType.name, { closesAfter, attempts: one.retryPolicy?.maximumAttempts ?? 0 });
      }
    }
    for (const name of ['loadPolicy', 'makePlan', 'runPreChecks', 'startControlPlaneUpdate', 'awaitUpdate'])
      expect([name, asked.get(name)?.closesAfter]).toEqual([name, 0]);
    for (const name of ['loadPolicy', 'makePlan', 'runPreChecks', 'startControlPlaneUpdate'])
      expect(asked.get(name)?.attempts).toBeGreaterThan(10);
    expect(asked.get('awaitUpdate')?.attempts).toBe(0);
  });
});
