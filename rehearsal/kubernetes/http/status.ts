/** Status objects: how the API server says no, and sometimes yes. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { DetailedError } from '../failures.ts';
import { StoreError } from '../store.ts';

export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, never>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: Record<string, unknown>;
  code?: number;
}

export function successStatus(details?: Record<string, unknown>): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...(details ? { details } : { code: 201 }) };
}

/** The Status of any error; what is not a refusal of ours is an internal error. */
export function failureStatus(error: unknown): Status & { code: number } {
  const known = error instanceof StoreError ? error : new StoreError(500, 'InternalError', `Internal error occurred: ${messageOf(error)}`);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: known.message,
    ...(known.reason === '' ? {} : { reason: known.reason }),
    ...(known instanceof DetailedError ? { details: known.details } : {}),
    code: known.code,
  };
}

export function unauthorized(): StoreError {
  return new StoreError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): StoreError {
  return new DetailedError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** Watch and paging from a version that is no longer kept. */
export function gone(message: string): StoreError {
  return new StoreError(410, 'Expired', message);
}

/** A path of a known group version that no resource lives at. */
export function noSuchResource(): StoreError {
  return new DetailedError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** A path that belongs to nothing that is served: answered in plain text. */
export class PageNotFound extends Error {
  constructor() {
    super('404 page not found\n');
  }
}
