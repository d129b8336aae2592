/** What a snapshot cannot answer, as failures: unknown, never "there is none". None is retryable, as the file says the same again. */
import { ApplicationFailure } from '@temporalio/common';
import type { SnapshotList } from '../../../../domain/facts/snapshot/format.ts';
import { failureOf, translateError } from '../../../runtime/translate-errors.ts';

/** It was not asked for when the snapshot was taken. */
export const notHeld = (what: string): ApplicationFailure => failureOf('InvalidRequest', `the snapshot does not hold ${what}`);

/** Nothing is changed through a snapshot. */
export const noChanges = (what: string): ApplicationFailure => failureOf('InvalidRequest', `${what}: a snapshot is only read`);

/** An error that AWS gave, thrown as the SDK throws it, but for one that only another attempt could mend: there is none. */
export function recordedError(doing: string, name: string): Error {
  const message = `${name} when the snapshot was taken`;
  const error = Object.assign(new Error(message), { name, $fault: 'client', $metadata: { httpStatusCode: statusOf(name) } });
  const failure = translateError(error, doing);
  return failure.nonRetryable === true ? error : permanent(failure);
}

/** Why a list was not read: a missing right is one for whoever reads the snapshot, too. */
export const unread = ({ plural, why = 'no reason was noted', denied }: SnapshotList): ApplicationFailure =>
  failureOf(denied === true ? 'AccessDenied' : 'InvalidRequest', `listing ${plural} for the snapshot: ${why}`);

const permanent = ({ type, message }: ApplicationFailure): ApplicationFailure =>
  ApplicationFailure.create({ ...(type == null ? {} : { type }), message, nonRetryable: true });

/** Failures are judged by name; where Belay knows none, by status. */
const statusOf = (name: string): number => (/NotFound/.test(name) ? 404 : /AccessDenied|Unauthorized/.test(name) ? 403 : 400);
