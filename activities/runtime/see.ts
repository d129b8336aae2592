/** What was seen, or why it was not: the outcome of reading one source. */
import { CancelledFailure } from '@temporalio/common';
import type { ClusterFacts } from '../../domain/facts/facts.ts';
import type { Seen } from '../../domain/readiness/model/evidence.ts';
import { currentAttempt } from './context.ts';
import { failureOf, failureType, translateError } from './translate-errors.ts';

/** What a time-out or a server error means. `throw`: the caller tries all of it again; `unknown`: it is said, and the rest goes on. */
export type OnTransient = 'throw' | 'unknown';

/** A transient failure is tried again this often before it is said. */
const PATIENT_ATTEMPTS = 3;

/** What a transient failure means in the attempt of the activity that asks. */
export function transientByAttempt(): OnTransient {
  return currentAttempt() <= PATIENT_ATTEMPTS ? 'throw' : 'unknown';
}

/**
 * Runs a reading; whatever it throws becomes `unseen`, but for a cancellation, a wrong setting, and transient failures where those are thrown.
 * `doing`: "listing pods".
 */
export async function see<T>(doing: string, read: () => Promise<T>, onTransient: OnTransient = 'unknown'): Promise<Seen<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    const failure = translateError(error, doing);
    // Said once, instead of by every check that it blinds.
    if (failureType(failure) === 'Configuration' || (onTransient === 'throw' && !failure.nonRetryable)) throw failure;
    return { ok: false, unseen: { kind: failureType(failure) === 'AccessDenied' ? 'denied' : 'failed', why: failure.message } };
  }
}

/**
 * Throws for the first part that an inspection could not see: half of a source would read as if all were well. Never retryable: inspections
 * that throw transient failures have met none here.
 */
export function refuseBlindness([blind]: ClusterFacts['unknowns']): void {
  if (blind === undefined) return;
  throw failureOf(blind.denied === true ? 'AccessDenied' : 'InvalidRequest', `reading ${blind.what}: ${blind.why}`);
}

/** The reading of a source that is off by default. */
export const SWITCHED_OFF: Seen<never> = {
  ok: false,
  unseen: { kind: 'off', why: 'it needs an optional role, which is not switched on.' },
};
