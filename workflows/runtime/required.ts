/** What must have been set before: another order is a mistake of ours, which no retry mends. */
import { ApplicationFailure } from '@temporalio/common';

/** Throws `what` where there is none. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw ApplicationFailure.nonRetryable(what, 'Unknown');
  return value;
}
