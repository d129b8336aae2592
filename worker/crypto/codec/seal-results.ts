/** What an activity gives back, or fails with, says inside of its ciphertext that it is that, by the id that its workflow asked for: see workflows/runtime/messages/seal. */
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { CancelledFailure, defaultPayloadConverter, ensureApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { SEAL_HEADER } from '../../../workflows/contract/ids.ts';
import { resultOf, sealed } from '../../../workflows/runtime/messages/seal.ts';
import { sealFailure } from '../../../workflows/runtime/messages/sealed-failure.ts';

/** The outermost one: what others add to the result is in the seal. Workflows ask for it where messages are sealed. */
export function sealResultsInterceptor({ info }: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const header = input.headers[SEAL_HEADER];
        if (header === undefined) return await next(input);
        const id = String(defaultPayloadConverter.fromPayload(header));
        try {
          return sealed(await next(input), { as: resultOf(info.activityType), id, at: Date.now() });
        } catch (error) {
          if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) throw error;
          throw sealFailure(ensureApplicationFailure(error), info.activityType, id);
        }
      },
    },
  };
}
