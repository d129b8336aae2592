/** Workflow interceptors under which the guard of a freeze that is lifted ends only when the run comes to its own end: on a busy worker it may be that late. */
import { condition, workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { settleFreeze } from '../../../workflows/contract/messages.ts';

export const interceptors: WorkflowInterceptorsFactory = () => {
  let askedCount = 0;
  return {
    inbound: [
      {
        execute: async (input, next) => {
          const result = await next(input);
          // First the step that rolls nodes asks, then the run.
          if (workflowInfo().workflowType === 'freezeDrift') await condition(() => askedCount > 1);
          return result;
        },
        handleSignal: (input, next) => {
          if (input.signalName === settleFreeze.name) askedCount += 1;
          return next(input);
        },
      },
    ],
  };
};
