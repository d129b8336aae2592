/** A workflow execution with one activity under way, made by Temporal's own API: what visibility, describe and histories say of it is the server's. */
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import proto from '@temporalio/proto';

const SCHEDULE = proto.temporal.api.enums.v1.CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK;

export interface OneActivity {
  workflowType: string;
  workflowId: string;
  activityType: string;
  /** Left as it is where nothing is said. */
  outcome?: { heartbeats: unknown } | { gives: unknown } | { fails: string };
  /** How values are written; default: plain. */
  encode?: (value: unknown, activityId: string) => Promise<Payload>;
}

/** Polls are refused without one. */
const POLL_LIMIT_MS = 30_000;
const ACTIVITY_ID = '1';
const plain = async (value: unknown): Promise<Payload> => defaultPayloadConverter.toPayload(value);

/** `queue`: nobody else's. Returns when the server has what was said. */
export async function startWithActivity(client: Client, queue: string, what: OneActivity): Promise<{ runId: string }> {
  const { workflowType, workflowId, activityType, outcome, encode = plain } = what;
  const { workflowService: service } = client;
  const { namespace } = client.options;
  const taskQueue = { name: `${queue}/${workflowId}` };
  const { firstExecutionRunId: runId } = await client.workflow.start(workflowType, { workflowId, taskQueue: taskQueue.name });
  const polled = async <T extends { taskToken?: Uint8Array | null }>(poll: () => Promise<T>): Promise<T> => {
    for (;;) {
      const task = await client.withDeadline(Date.now() + POLL_LIMIT_MS, poll);
      // A poll may come back with nothing.
      if ((task.taskToken?.length ?? 0) > 0) return task;
    }
  };
  const task = await polled(() => service.pollWorkflowTaskQueue({ namespace, taskQueue, identity: 'test' }));
  const hour = { seconds: 3_600 as never };
  // Before this is over it is tried again.
  const week = { seconds: (7 * 86_400) as never };
  await service.respondWorkflowTaskCompleted({
    namespace,
    taskToken: task.taskToken,
    identity: 'test',
    commands: [
      {
        commandType: SCHEDULE,
        scheduleActivityTaskCommandAttributes: {
          activityId: ACTIVITY_ID,
          activityType: { name: activityType },
          taskQueue,
          scheduleToCloseTimeout: week,
          startToCloseTimeout: hour,
          retryPolicy: { initialInterval: hour, backoffCoefficient: 1 },
        },
      },
    ],
  });
  if (outcome === undefined) return { runId };
  const { taskToken } = await polled(() => service.pollActivityTaskQueue({ namespace, taskQueue, identity: 'test' }));
  const payloads = async (value: unknown) => ({ payloads: [await encode(value, ACTIVITY_ID)] });
  if ('heartbeats' in outcome)
    await service.recordActivityTaskHeartbeat({ namespace, taskToken, details: await payloads(outcome.heartbeats) });
  else if ('gives' in outcome) await service.respondActivityTaskCompleted({ namespace, taskToken, result: await payloads(outcome.gives) });
  else
    await service.respondActivityTaskFailed({
      namespace,
      taskToken,
      failure: { message: outcome.fails, applicationFailureInfo: { type: 'Unavailable' } },
    });
  return { runId };
}
