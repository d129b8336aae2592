/** Tells every activity which run it is for: sessions at AWS are named after it. A header is in no payload and in no event of its own. */
import { defaultPayloadConverter } from '@temporalio/common';
import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { RUN_HEADER } from './ids.ts';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const { root, firstExecutionRunId } = workflowInfo();
  const run = { [RUN_HEADER]: defaultPayloadConverter.toPayload(root?.runId ?? firstExecutionRunId) };
  return {
    outbound: [
      {
        scheduleActivity: async (input, next) => await next({ ...input, headers: { ...input.headers, ...run } }),
        scheduleLocalActivity: async (input, next) => await next({ ...input, headers: { ...input.headers, ...run } }),
      },
    ],
  };
};
