/** Refusals in the API server's own words. */
import { type ResourceType, StoreError } from './store.ts';
import { qualifiedName } from './types.ts';

export function notFound(type: Pick<ResourceType, 'group' | 'plural'>, name: string): StoreError {
  return new StoreError(404, 'NotFound', `${qualifiedName(type)} "${name}" not found`);
}

export function alreadyExists(type: Pick<ResourceType, 'group' | 'plural'>, name: string): StoreError {
  return new StoreError(409, 'AlreadyExists', `${qualifiedName(type)} "${name}" already exists`);
}

export function modified(type: Pick<ResourceType, 'group' | 'plural'>, name: string): StoreError {
  return conflict(type, name, 'the object has been modified; please apply your changes to the latest version and try again');
}

export function conflict(type: Pick<ResourceType, 'group' | 'plural'>, name: string, why: string): StoreError {
  return new StoreError(409, 'Conflict', `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${why}`);
}

export function invalid(type: Pick<ResourceType, 'group' | 'kind'>, name: string, why: string): StoreError {
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  return new StoreError(422, 'Invalid', `${kind} "${name}" is invalid: ${why}`);
}

/** What a JSON patch gets whose `test` failed or whose path does not exist. Its details name no object. */
export function rejectedRequest(): StoreError {
  return new DetailedError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

export function badRequest(message: string): StoreError {
  return new StoreError(400, 'BadRequest', message);
}

/** A refusal whose Status carries these details, and no others: the causes of a refused eviction. */
export class DetailedError extends StoreError {
  readonly details: Record<string, unknown>;
  constructor(code: number, reason: string, message: string, details: Record<string, unknown>) {
    super(code, reason, message);
    this.details = details;
  }
}
