/** Workflows of somebody else, run by a worker of his own: they start what they like on Belay's queue, with bytes that were recorded. */
import { type Payload, RawValue } from '@temporalio/common';
import { executeChild, proxyActivities, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

type Recorded = Record<'metadata', Record<string, string>> & { data: string };
let headers: Record<string, Payload> = {};

/** Sends along whatever headers it was started with. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute: (input, next) => {
        headers = input.headers;
        return next(input);
      },
    },
  ],
  outbound: [
    {
      scheduleActivity: (input, next) => next({ ...input, headers }),
      startChildWorkflowExecution: (input, next) => next({ ...input, headers }),
    },
  ],
});

/** As a parent of whatever id. */
export async function startStep(of: { type: string; workflowId: string; input: Recorded }): Promise<string> {
  return await executeChild(of.type, { workflowId: of.workflowId, taskQueue: 'belay', args: [raw(of.input)] }).then(
    () => 'done',
    () => 'refused',
  );
}

/** What the worker answered. */
export async function runActivity(of: { type: string; activityId: string; input: Recorded }): Promise<string> {
  const options = { taskQueue: 'belay', startToCloseTimeout: '20s', retry: { maximumAttempts: 1 }, activityId: of.activityId } as const;
  const activities = proxyActivities<Record<string, (input: unknown) => Promise<unknown>>>(options);
  return await (activities[of.type]?.(raw(of.input)) ?? Promise.resolve()).then(
    () => 'done',
    () => 'refused',
  );
}

function raw({ metadata, data }: Recorded): RawValue {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return RawValue.fromPayload({
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, bytes(value)])),
    data: bytes(data),
  });
}
