/** An interceptor for a test: in place of the workflow, it uses a grant of its own, waits, and says which one it has then. */
import { defaultPayloadConverter } from '@temporalio/common';
import { sleep, workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { currentGrant, useGrant } from '../../../../workflows/runtime/messages/grant.ts';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute: async () => {
        useGrant(`grant of ${workflowInfo().workflowId}`);
        await sleep(500);
        const grant = currentGrant();
        return grant === undefined ? 'none' : defaultPayloadConverter.fromPayload(grant);
      },
    },
  ],
});
