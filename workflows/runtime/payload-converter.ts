/** Reads payloads in workflows: what the codec has refused becomes a value that nothing can be done with, and what was encrypted is known for it. */
import { ApplicationFailure, defaultPayloadConverter, ValueError } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';
import { inWorkflowContext } from '@temporalio/workflow';
import { DECRYPTED, REFUSED } from './messages/seal.ts';

/**
 * In the place of a payload that cannot be trusted. As the result of an activity or of a child it fails their promise, since a promise that is resolved
 * with a thenable ends as that does; a throw would fail the workflow's task, again and again.
 */
export class RefusedPayload {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }

  // oxlint-disable-next-line unicorn/no-thenable
  then(_resolve: unknown, reject: (reason: unknown) => void): void {
    reject(refusal(this.why));
  }
}

export const refusal = (why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`reading from Temporal: ${why}`, 'AccessDenied');

const decrypted = new WeakSet<object>();

/** Was this value encrypted on its way, so that only somebody with a key can have made it? */
export const wasEncrypted = (value: unknown): boolean => typeof value === 'object' && value !== null && decrypted.has(value);

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    const encoding = payload.metadata?.['encoding'];
    if (encoding != null && textOf(encoding) === REFUSED) {
      const why = textOf(payload.data ?? new Uint8Array());
      if (!inWorkflowContext()) throw new ValueError(`reading from Temporal: ${why}`);
      return new RefusedPayload(why) as T;
    }
    const value = defaultPayloadConverter.fromPayload<T>(payload);
    if (payload.metadata?.[DECRYPTED] != null && typeof value === 'object' && value !== null) decrypted.add(value);
    return value;
  },
};
