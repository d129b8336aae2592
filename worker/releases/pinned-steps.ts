/** Steps that are pinned to a version of workers: they do not move to another release, whichever becomes Current. */
import { defaultPayloadConverter } from '@temporalio/common';
import { GRPC } from '../../client/calls/grpc-status.ts';
import { executionsOn, type ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { field } from '../../domain/core/unknown.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';

/** https://docs.temporal.io/search-attribute#default-search-attribute; the version is "NAME:BUILD", and names have no colon. */
export const VERSION = 'TemporalWorkerDeploymentVersion';
/** Open steps of a queue that are pinned, for visibility. */
export const pinnedOn = (taskQueue: string): string =>
  `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}' AND TemporalWorkflowVersioningBehavior = 'Pinned'`;

export interface PinnedStep {
  workflowId: string;
  runId: string;
  /** "NAME:BUILD" */
  version: string;
}

/** Throws what the server answers. Servers that do not know versions have no such steps. */
export async function pinnedSteps(connection: ServiceConnection, namespace: string, taskQueue = TASK_QUEUE): Promise<PinnedStep[]> {
  const steps: PinnedStep[] = [];
  try {
    for await (const { execution, searchAttributes } of executionsOn(connection, { namespace, query: pinnedOn(taskQueue) })) {
      const version = searchAttributes?.indexedFields?.[VERSION];
      if (version == null) continue;
      const { workflowId, runId } = execution ?? {};
      steps.push({ workflowId: workflowId ?? '?', runId: runId ?? '?', version: defaultPayloadConverter.fromPayload<string>(version) });
    }
  } catch (error) {
    if (field(error, 'code') !== GRPC.invalidArgument) throw error;
  }
  return steps;
}
