/** An audited run, and requests that were refused before they belonged to one, for the recording. */
import { randomUUID } from 'node:crypto';
import { createRefusals } from '../../client/steering/refused-attempts.ts';
import { FRONT_DOOR_WORKFLOW } from '../../workflows/contract/ids.ts';
import { fakeActivities, quickPolicy } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { startWorker } from '../support/temporal.ts';
import { type Story, told } from './story.ts';

/** Votes, a refusal, changes and restores on the way to the record. */
export const audited: Story = told(
  fakeActivities({
    policy: quickPolicy(),
    plan: plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift', 'validation']),
  }),
  {},
  async (run) => {
    await run.until(({ gates }) => gates.length > 0);
    await run.decide('before:pre-checks@1.32#1', 'approve', { actor: { kind: 'slack', id: 'U0EVE', name: 'Eve' } });
    await run.finish();
  },
);

export const refusedAtTheDoor: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, fakeActivities().activities, taskQueue);
  await worker.runUntil(async () => {
    const refusals = createRefusals(env.client, { taskQueue });
    refusals.atTheDoor({ what: 'A request whose signature is not Slack’s' });
    await refusals.end();
    await env.client.workflow.getHandle(FRONT_DOOR_WORKFLOW).result();
  });
  return FRONT_DOOR_WORKFLOW;
};
