/** What people choose after failures, and what is put back after a run was ended by force. For the recording. */
import { randomUUID } from 'node:crypto';
import type { ReconcileReport } from '../../domain/run/leftovers.ts';
import { type ReconcileInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { CLUSTER } from '../support/facts.ts';
import { fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { oneOfEach } from '../support/leftovers.ts';
import { plan } from '../support/plan.ts';
import { startWorker } from '../support/temporal.ts';
import { SAM } from '../support/upgrade.ts';
import { choosing, type Story, told } from './story.ts';

/** A node group is forced behind its gate, an add-on's conflict is overwritten. */
export function forcedAndOverwritten(): Story {
  const fake = fakeActivities({ plan: plan(['node-groups', 'add-ons-target']) });
  const failing = new Map([
    ['node-group', 'PodEvictionFailure'],
    ['add-on', 'ConfigurationConflict'],
  ]);
  return told(
    fake,
    {
      awaitUpdate: async ({ resource }) => {
        const code = failing.get(resource.kind);
        failing.delete(resource.kind);
        return code === undefined
          ? { status: 'Successful', errors: [] }
          : { status: 'Failed', errors: [{ code, message: 'as EKS says', resourceIds: [] }] };
      },
    },
    (run) =>
      run.finish(
        choosing({
          'failed:node-groups@1.32#1': 'ask-force',
          'force:node-groups@1.32#1': 'force',
          'failed:add-ons-target@1.32#1': 'overwrite',
        }),
      ),
  );
}

/** One of each kind, of a guard that runs no more; then again where nodes lag. */
export const reconciled: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const workflowId = `eks-upgrade/111122223333/eu-central-1/prod-${randomUUID().slice(0, 8)}`;
  const leftovers = oneOfEach(`${workflowId}/freeze-drift@1.32`);
  const fake = fakeActivities({ policy: quickPolicy() });
  const activities = withChange(fake, { findLeftovers: async () => ({ leftovers, unseen: [] }) });
  const worker = await startWorker(env, activities, taskQueue);
  const run = (change: Partial<ReconcileInput>): Promise<ReconcileReport> =>
    env.client.workflow.execute<(input: ReconcileInput) => Promise<ReconcileReport>>(WORKFLOWS.reconcile, {
      workflowId,
      taskQueue,
      args: [{ cluster: CLUSTER, requestedBy: SAM, apply: true, ...change }],
    });
  await worker.runUntil(async () => {
    await run({ apply: false });
    await run({ reason: 'the run was terminated' });
    fake.world.controlPlane = '1.32';
    await run({});
  });
  return workflowId;
};
