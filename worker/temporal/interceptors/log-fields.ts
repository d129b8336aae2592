/** Lines that an activity logs, and those of the SDK about it, say which run, cluster and step it is for. */
import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { RUN_HEADER } from '../../../workflows/contract/ids.ts';
import { logFieldsOf } from '../../config/log-fields.ts';

export function logFieldsInterceptor({ info: { workflowExecution } }: Pick<Context, 'info'>): ActivityInterceptors {
  let run: string | undefined;
  return {
    inbound: {
      execute(input, next) {
        const header = input.headers[RUN_HEADER];
        const given = header === undefined ? undefined : defaultPayloadConverter.fromPayload(header);
        if (typeof given === 'string') run = given;
        return next(input);
      },
    },
    outbound: {
      getLogAttributes(input, next) {
        return next(workflowExecution === undefined ? input : { ...input, ...logFieldsOf(workflowExecution, run) });
      },
    },
  };
}
