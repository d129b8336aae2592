/** What was seen, or why it was not: the outcome of reading one source. */
import { CancelledFailure } from '@temporalio/common';
import type { Seen } from '../../domain/readiness/evidence.ts';
import { failureType, translateError } from '../translate-errors.ts';

/** Runs a reading; whatever it throws becomes `unseen`, but for a cancellation. `doing`: "listing pods". */
export async function see<T>(doing: string, read: () => Promise<T>): Promise<Seen<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    const failure = translateError(error, doing);
    return { ok: false, unseen: { kind: failureType(failure) === 'AccessDenied' ? 'denied' : 'failed', why: failure.message } };
  }
}

/** The reading of a source that is off by default. */
export const SWITCHED_OFF: Seen<never> = {
  ok: false,
  unseen: { kind: 'off', why: 'it needs an optional role, which is not switched on.' },
};
