/** Hands what an activity has found changed beside its own change over to the workflow, with the result. */
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { recordingSideEffects } from '../../../activities/clients/side-effects/recorder.ts';
import { withEffects } from '../../../domain/run/side-effects/envelope.ts';

export function sideEffectsInterceptor({ info }: Context): ActivityInterceptors {
  const key = [info.workflowExecution?.workflowId, info.workflowExecution?.runId, info.activityId].join('/');
  return {
    inbound: {
      async execute(input, next) {
        const { result, effects } = await recordingSideEffects(key, () => next(input));
        return effects.length === 0 ? result : withEffects(result, effects);
      },
    },
  };
}
