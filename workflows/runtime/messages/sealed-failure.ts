/** Failures of activities, sealed as results are: what is decided by, and said, stands in the seal. Plain values and functions: activities seal, workflows open. */
import { ApplicationFailure } from '@temporalio/common';
import { failureOf, isSealed, sealed } from './seal.ts';
import { defined } from '../../../domain/core/defined.ts';

interface SealedFailure {
  type: string | null;
  message: string;
  details: unknown[];
}

/** `id`: the one that the workflow asked for. */
export function sealFailure(failure: ApplicationFailure, activityType: string, id: string): ApplicationFailure {
  const { message, type, details } = failure;
  const body: SealedFailure = { type: type ?? null, message, details: details ?? [] };
  return rebuilt(failure, message, [sealed(body, { as: failureOf(activityType), id, at: Date.now() })]);
}

/** As the activity has failed; undefined: it has not been sealed for this one, or bears another type than was sealed. */
export function openFailure(failure: ApplicationFailure, activityType: string, id: string): ApplicationFailure | undefined {
  const found = failure.details?.[0];
  if (!isSealed(found) || found.seal.as !== failureOf(activityType) || found.seal.id !== id) return undefined;
  const body = found.body as SealedFailure;
  return body.type === (failure.type ?? null) ? rebuilt(failure, body.message, body.details) : undefined;
}

function rebuilt(failure: ApplicationFailure, message: string, details: unknown[]): ApplicationFailure {
  const { type, nonRetryable, nextRetryDelay, category, cause, stack } = failure;
  const made = ApplicationFailure.create({
    message,
    ...(type == null ? {} : { type }),
    nonRetryable: nonRetryable === true,
    details,
    ...(nextRetryDelay == null ? {} : { nextRetryDelay }),
    ...(category == null ? {} : { category }),
    ...defined({ cause }),
  });
  made.stack = stack;
  return made;
}
