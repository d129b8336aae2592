/** What an activity gives back says, inside of its ciphertext, that it is its result, by the id that its workflow asked for: see workflows/sealed. */
import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { SEAL_HEADER } from '../../workflows/ids.ts';
import { resultOf, sealed } from '../../workflows/sealed.ts';

/** The outermost one: what others add to the result is in the seal. Workflows ask for it where messages are sealed. */
export function sealResultsInterceptor({ info }: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const result = await next(input);
        const header = input.headers[SEAL_HEADER];
        if (header === undefined) return result;
        const id = String(defaultPayloadConverter.fromPayload(header));
        return sealed(result, { as: resultOf(info.activityType), id, at: Date.now() });
      },
    },
  };
}
