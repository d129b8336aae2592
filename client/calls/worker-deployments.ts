/**
 * Deployments of workers with versions (https://docs.temporal.io/worker-versioning). One without a Current version gets no runs, and Temporal calls that no
 * error: its workers poll, and everything stands still.
 */
import type { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { field } from '../../domain/core/unknown.ts';
import { GRPC } from './grpc-status.ts';

const WORKFLOW = proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW;

/** What is asked of the server by its own API; clients' and workers' connections both have it. */
export type ServiceConnection = Pick<Connection, 'workflowService'>;

type Listed = NonNullable<Awaited<ReturnType<ServiceConnection['workflowService']['listWorkflowExecutions']>>['executions']>[number];

/** What visibility lists for a query, page by page. Throws what the server answers. */
export async function* executionsOn(
  { workflowService }: ServiceConnection,
  request: { namespace: string; query: string; pageSize?: number },
): AsyncGenerator<Listed> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.listWorkflowExecutions({ ...request, nextPageToken });
    yield* page.executions;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

export interface DeploymentVersion {
  deploymentName: string;
  buildId: string;
}

/** Build id of the Current version of a deployment; undefined: it has none, or no worker of it has polled yet. Throws what the server answers else. */
export async function currentBuildId(
  { workflowService }: ServiceConnection,
  namespace: string,
  deploymentName: string,
): Promise<string | undefined> {
  try {
    const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment({ namespace, deploymentName });
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId || undefined;
  } catch (error) {
    if (field(error, 'code') === GRPC.notFound) return undefined;
    throw error;
  }
}

/** A version that polls the queue while its deployment has no Current one; undefined: there is none, as far as the server says. Never throws. */
export async function versionWithoutCurrent(client: Client, taskQueue: string): Promise<DeploymentVersion | undefined> {
  const { namespace } = client.options;
  try {
    const queue = { namespace, taskQueue: { name: taskQueue }, taskQueueType: WORKFLOW };
    for (const { deploymentOptions } of (await client.workflowService.describeTaskQueue(queue)).pollers) {
      const { deploymentName, buildId } = deploymentOptions ?? {};
      if (!deploymentName || !buildId) continue;
      if ((await currentBuildId(client, namespace, deploymentName)) === undefined) return { deploymentName, buildId };
    }
  } catch {
    // Who asked is told of what stands still, if not why.
  }
  return undefined;
}

/** For a shell: https://docs.temporal.io/cli/command-reference/worker#set-current-version */
export function setCurrentCommand({ deploymentName, buildId }: DeploymentVersion, namespace: string): string {
  const options = { 'deployment-name': deploymentName, 'build-id': buildId, namespace };
  return `temporal worker deployment set-current-version ${Object.entries(options)
    .map(([name, value]) => `--${name} ${shellWord(value)}`)
    .join(' ')}`;
}

/** Quoted where a shell would read more into it. */
export const shellWord = (word: string): string => (/^[\w.:@+/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
