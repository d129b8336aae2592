/** What an activity gives back, or fails with, says inside of its ciphertext that it is that, by the id that its workflow asked for: see workflows/sealed. */
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter, ensureApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { SEAL_HEADER } from '../../workflows/ids.ts';
import { failureOf, resultOf, type SealedFailure, sealed } from '../../workflows/sealed.ts';

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
          throw sealedFailure(ensureApplicationFailure(error), failureOf(info.activityType), id);
        }
      },
    },
  };
}

/** The same one, with the seal as the last of its details. */
function sealedFailure(failure: ApplicationFailure, as: string, id: string): ApplicationFailure {
  const { message, stack, type, details, nonRetryable, nextRetryDelay, category, cause } = failure;
  const body: SealedFailure = { type: type ?? null, message };
  const seal = sealed(body, { as, id, at: Date.now() });
  const made = ApplicationFailure.create({
    message,
    ...(type == null ? {} : { type }),
    nonRetryable: nonRetryable === true,
    details: [...(details ?? []), seal],
    ...(nextRetryDelay == null ? {} : { nextRetryDelay }),
    ...(category == null ? {} : { category }),
    ...(cause === undefined ? {} : { cause }),
  });
  made.stack = stack;
  return made;
}
