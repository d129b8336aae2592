/**
 * Tells every activity which run it is for: sessions at AWS are named after it; and what changes something, by which grant; and sends it to the queue of
 * its cluster's network. A header is in no payload and in no event of its own.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { workflowInfo, type WorkflowInterceptorsFactory, type WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import { writes } from './activity-effects.ts';
import { inPlace } from './activity-places.ts';
import { currentGrant, takeGrant } from './messages/grant.ts';
import { GRANT_HEADER, RUN_HEADER } from '../contract/ids.ts';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const { root, firstExecutionRunId, workflowType } = workflowInfo();
  return {
    inbound: [
      {
        execute: (input, next) => {
          takeGrant(input.headers[GRANT_HEADER]);
          return next(input);
        },
      },
    ],
    outbound: [withRunHeader(defaultPayloadConverter.toPayload(root?.runId ?? firstExecutionRunId)), withGrant, inPlace(workflowType)],
  };
};

const granted = (): Record<string, Payload> => {
  const grant = currentGrant();
  return grant === undefined ? {} : { [GRANT_HEADER]: grant };
};

const withGrant: WorkflowOutboundCallsInterceptor = {
  scheduleActivity: (input, next) => next(writes(input.activityType) ? { ...input, headers: { ...input.headers, ...granted() } } : input),
  startChildWorkflowExecution: (input, next) => next({ ...input, headers: { ...input.headers, ...granted() } }),
};

/**
 * Not async on purpose: each await adds turns between an activity's completion and the code that waits for it, and a history that was recorded
 * with another number of turns does not replay.
 */
export function withRunHeader(
  run: Payload,
): Required<Pick<WorkflowOutboundCallsInterceptor, 'scheduleActivity' | 'scheduleLocalActivity'>> {
  return {
    scheduleActivity: (input, next) => next({ ...input, headers: { ...input.headers, [RUN_HEADER]: run } }),
    scheduleLocalActivity: (input, next) => next({ ...input, headers: { ...input.headers, [RUN_HEADER]: run } }),
  };
}
