/** Status objects: how the API server says no, and sometimes yes. */
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
export function failureStatus(error: unknown, details?: Record<string, unknown>): Status & { code: number } {
  const known =
    error instanceof StoreError
      ? error
      : new StoreError(500, 'InternalError', `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`);
  const all = (error instanceof DetailedError ? error.details : details) ?? {};
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: known.message,
    reason: known.reason,
    ...(Object.keys(all).length > 0 ? { details: all } : {}),
    code: known.code,
  };
}

export function unauthorized(): StoreError {
  return new StoreError(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(
  wanted: { verb: string; group: string; resource: string; namespace?: string; name?: string },
  username: string,
): StoreError {
  const subject = wanted.group === '' ? wanted.resource : `${wanted.resource}.${wanted.group}`;
  const name = wanted.name ? ` "${wanted.name}"` : '';
  const where = wanted.namespace ? `in the namespace "${wanted.namespace}"` : 'at the cluster scope';
  const what = `User "${username}" cannot ${wanted.verb} resource "${wanted.resource}" in API group "${wanted.group}" ${where}`;
  return new StoreError(403, 'Forbidden', `${subject}${name} is forbidden: ${what}`);
}

export function methodNotAllowed(): StoreError {
  return new StoreError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

/** Watch and paging from a version that is no longer kept. */
export function gone(message: string): StoreError {
  return new StoreError(410, 'Expired', message);
}

/** A path that no resource lives at. */
export function noSuchResource(): StoreError {
  return new StoreError(404, 'NotFound', 'the server could not find the requested resource');
}
