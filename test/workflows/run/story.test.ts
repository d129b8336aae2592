/** Someone who sees only Temporal UI can tell the story of an upgrade: read back through Temporal's API. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { fakeActivities } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

describe('Temporal UI', () => {
  test('shows phases, why, what is waited for, and a line for every activity and timer', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks', 'freeze-drift', 'control-plane', 'bake', 'karpenter-drift']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until(
        (s) => s.gates.some((g) => g.id === 'before:control-plane@1.32#1'),
        (g) => (g.id.includes('control-plane') ? undefined : approveAll(g, 0)),
      );
      const waiting = await run.handle.describe();
      expect(waiting.searchAttributes).toMatchObject({
        BelayCluster: ['prod'],
        BelayTarget: ['1.32'],
        BelayPhase: ['freeze-drift'],
        BelayWaitingFor: ['before:control-plane@1.32#1'],
        BelayRequestedBy: ['U0ALEX'],
      });
      expect(await currentDetails(run.workflowId)).toMatch(
        /\*\*Waiting for a decision:\*\* Step control-plane\? Choose approve or reject by .+ UTC, .+ Gate `before:control-plane@1\.32#1`\./,
      );
      await run.finish();
      expect(await currentDetails(run.workflowId)).toContain('completed. prod is at 1.32');

      const child = env.client.workflow.getHandle(`${run.workflowId}/control-plane@1.32`);
      const description = await child.describe();
      expect(await description.staticSummary()).toBe('prod: Step control-plane');
      expect(await description.staticDetails()).toContain('because of control-plane');

      for (const id of [
        run.workflowId,
        `${run.workflowId}/control-plane@1.32`,
        `${run.workflowId}/bake@1.32`,
        `${run.workflowId}/freeze-drift@1.32`,
      ]) {
        const { events } = await env.client.workflow.getHandle(id).fetchHistory();
        const bare = (events ?? []).filter(
          (e) =>
            (e.activityTaskScheduledEventAttributes != null || e.timerStartedEventAttributes != null) && e.userMetadata?.summary == null,
        );
        expect(bare.map((e) => e.activityTaskScheduledEventAttributes?.activityType?.name ?? `timer in ${id}`)).toEqual([]);
      }
      const { events } = await child.fetchHistory();
      const summaries = (events ?? []).flatMap((e) =>
        e.userMetadata?.summary == null ? [] : [defaultPayloadConverter.fromPayload<string>(e.userMetadata.summary)],
      );
      expect(summaries).toEqual(expect.arrayContaining(['Start or adopt the update to 1.32', 'Wait for EKS update u-1']));
    });
  });
});

/** Temporal serves current details through the workflow metadata query. */
async function currentDetails(workflowId: string): Promise<string> {
  const metadata = await env.client.workflow.getHandle(workflowId).query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}
