/** A run of a cluster that only its network's worker reaches, and a list of versions over two networks, for the recording. */
import { Worker } from '@temporalio/worker';
import { networkQueue } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { activitiesOfClusters } from '../../workflows/runtime/activity-places.ts';
import { CLUSTER } from '../support/facts.ts';
import { fakeActivities, quickPolicy, untilCancelled } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { sharedWorker } from '../support/shared-worker.ts';
import { withUpgrade } from '../support/upgrade.ts';
import type { QueueState } from '../../activities/contract/queues.ts';
import type { Story } from './story.ts';

/** The environment before is in the main network. Who polls is not known at first, then nobody does, then its worker. */
export function inItsNetwork(): Story {
  return async (env) => {
    const cluster = { ...CLUSTER, network: 'recorded' };
    const staging = { ...CLUSTER, name: 'staging' };
    const after = { environment: 'staging', clusters: [staging, { ...cluster, name: 'twin' }], bakedDays: 3 };
    const steps = plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift', 'validation']);
    const fake = fakeActivities({ plan: steps, policy: quickPolicy({ cluster, after }) });
    const news: QueueState[] = [{ kind: 'unknown', why: 'Temporal does not answer' }, { kind: 'unpolled' }, { kind: 'polled' }];
    fake.activities.watchQueue = async () => news.shift() ?? (await untilCancelled());
    const worker = await Worker.create({
      connection: env.nativeConnection,
      namespace: env.namespace ?? 'default',
      taskQueue: networkQueue('recorded'),
      activities: activitiesOfClusters(fake.activities),
    });
    return await worker.runUntil(() =>
      withUpgrade(
        env,
        fake.activities,
        async (run) => {
          await run.until(({ gates }) => gates.length > 0);
          const shared = await sharedWorker(env);
          const versions = `${run.workflowId}/versions`;
          shared.perform('versions', fake.activities);
          await env.client.workflow.execute(WORKFLOWS.versions, {
            workflowId: versions,
            taskQueue: shared.taskQueue,
            args: [{ clusters: [cluster, staging] }],
          });
          await run.finish();
          return run.workflowId;
        },
        { cluster },
      ),
    );
  };
}
