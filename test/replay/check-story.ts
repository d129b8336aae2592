/** Readiness checks and what is asked at a glance, for the recording. */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import type { checkCluster } from '../../workflows/requests/check-cluster.ts';
import type { forecastCluster } from '../../workflows/requests/forecast-cluster.ts';
import { checkWorkflowId, forecastWorkflowId, requestWorkflowId } from '../../workflows/contract/ids.ts';
import { type CheckInput, type ForecastInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { createUpgrades } from '../../client/upgrades-client.ts';
import { CLUSTER } from '../support/facts.ts';
import { fakeActivities, withChange } from '../support/fake-activities.ts';
import { startWorker } from '../support/temporal.ts';
import { ALEX } from '../support/upgrade.ts';
import type { Story } from './story.ts';

/** A check, the same again, and one that cannot be made. */
export const checks: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const cluster = { ...CLUSTER, name: `prod-${randomUUID().slice(0, 8)}` };
  const workflowId = checkWorkflowId(cluster);
  const fake = fakeActivities();
  const check = async (change: Partial<BelayActivities>, before?: ReadinessSummary): Promise<ReadinessSummary> => {
    const args: [CheckInput] = [{ cluster, target: '1.32', requestedBy: ALEX, channel: 'C0UPGRADES', before }];
    const worker = await startWorker(env, withChange(fake, change), taskQueue);
    return worker.runUntil(env.client.workflow.execute<typeof checkCluster>(WORKFLOWS.check, { workflowId, taskQueue, args }));
  };
  await check({}, await check({}));
  const denied = ApplicationFailure.nonRetryable('describing cluster prod: AWS answered AccessDeniedException', 'AccessDenied');
  await check({ checkReadiness: () => Promise.reject(denied) }).catch(() => undefined);
  return workflowId;
};

/** What the form of `/eks-upgrade` and the App Home ask: the versions of clusters, and a check that tells nobody. */
export const glances: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const resolveCluster = (name: string) => ({ ...CLUSTER, name });
  const upgrades = createUpgrades({ client: env.client, taskQueue, resolveCluster });
  const worker = await startWorker(env, fakeActivities().activities, taskQueue);
  await worker.runUntil(async () => {
    await upgrades.versions(Array.from({ length: 60 }, (_, index) => `c-${index}`));
    await upgrades.readiness({ cluster: 'c-1', target: '1.32', requestedBy: ALEX });
  });
  return 'eks-';
};

/** A forecast, one of a plan that breaks rules, and one that cannot be made. */
export const forecasts: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const cluster = { ...CLUSTER, name: `prod-${randomUUID().slice(0, 8)}` };
  const workflowId = forecastWorkflowId(cluster);
  const fake = fakeActivities();
  const ask = async (change: Partial<BelayActivities>): Promise<void> => {
    const args: [ForecastInput] = [{ cluster, target: '1.32', requestedBy: ALEX, channel: 'C0UPGRADES' }];
    const worker = await startWorker(env, withChange(fake, change), taskQueue);
    await worker.runUntil(env.client.workflow.execute<typeof forecastCluster>(WORKFLOWS.forecast, { workflowId, taskQueue, args }));
  };
  await ask({});
  await ask({ forecastUpgrade: async () => ({ kind: 'refused', violations: [] }) });
  const denied = ApplicationFailure.nonRetryable('describing cluster prod: AWS answered AccessDeniedException', 'AccessDenied');
  await ask({ forecastUpgrade: () => Promise.reject(denied) }).catch(() => undefined);
  return workflowId;
};

/** A request of Slack, and the same once more. */
export const requestTaken: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const upgrades = createUpgrades({ client: env.client, taskQueue, resolveCluster: (name) => ({ ...CLUSTER, name }) });
  const worker = await startWorker(env, fakeActivities().activities, taskQueue);
  await worker.runUntil(async () => {
    for (const _ of ['sent', 'sent again']) await upgrades.claim('3a1f');
    for await (const { workflowId } of env.client.workflow.list({ query: `TaskQueue = '${taskQueue}'` }))
      await env.client.workflow.getHandle(workflowId).result();
  });
  return requestWorkflowId('');
};

/** What `/eks-upgrade rollback CLUSTER list` asks. */
export const undoListed: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const upgrades = createUpgrades({ client: env.client, taskQueue, resolveCluster: (name) => ({ ...CLUSTER, name }) });
  const worker = await startWorker(env, fakeActivities().activities, taskQueue);
  await worker.runUntil(upgrades.undoOptions('c-1'));
  return 'eks-undo-list/';
};
