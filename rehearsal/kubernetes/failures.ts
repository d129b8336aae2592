/** Refusals in the API server's own words: k8s.io/apimachinery/pkg/api/errors. */
import { type ResourceType, StoreError } from './store.ts';
import { qualifiedName } from './types.ts';

type Named = Pick<ResourceType, 'group' | 'plural'>;

/** A refusal whose Status carries these details. */
export class DetailedError extends StoreError {
  readonly details: Record<string, unknown>;
  constructor(code: number, reason: string, message: string, details: Record<string, unknown>) {
    super(code, reason, message);
    this.details = details;
  }
}

/** What is wrong with one field of an object. */
export interface FieldError {
  /** "spec.replicas" */
  field: string;
  reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | (string & {});
  /** Without the field: "Required value". */
  message: string;
}

export function notFound(type: Named, name: string): StoreError {
  return about(404, 'NotFound', type, name, `${qualifiedName(type)} "${name}" not found`);
}

export function alreadyExists(type: Named, name: string): StoreError {
  return about(409, 'AlreadyExists', type, name, `${qualifiedName(type)} "${name}" already exists`);
}

export function modified(type: Named, name: string): StoreError {
  return conflict(type, name, 'the object has been modified; please apply your changes to the latest version and try again');
}

export function conflict(type: Named, name: string, why: string): StoreError {
  return about(409, 'Conflict', type, name, `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${why}`);
}

export function forbidden(type: Named, name: string | undefined, why: string, causes?: FieldError[]): StoreError {
  const subject = [qualifiedName(type), ...(name === undefined ? [] : [`"${name}"`])].join(' ');
  return about(403, 'Forbidden', type, name, `${subject} is forbidden: ${why}`, causes);
}

/** The same complaint twice is told once, and stands twice among the causes. */
export function invalid(type: Pick<ResourceType, 'group' | 'kind'>, name: string, errors: FieldError | FieldError[]): StoreError {
  const causes = Array.isArray(errors) ? errors : [errors];
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const details = {
    ...(name ? { name } : {}),
    ...(type.group === '' ? {} : { group: type.group }),
    ...(type.kind === '' ? {} : { kind: type.kind }),
    causes: causes.map(({ reason, message, field }) => ({ reason, message, field })),
  };
  const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new DetailedError(422, 'Invalid', `${kind} "${name}" is invalid: ${why}`, details);
}

/** What a JSON patch gets whose `test` failed or whose path does not exist. Its details name no object. */
export function rejectedRequest(): StoreError {
  return new DetailedError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

export function badRequest(message: string): StoreError {
  return new StoreError(400, 'BadRequest', message);
}

/** An error that the server did not expect: its Status has no reason. */
export function unexpected(message: string): StoreError {
  return new StoreError(500, '', message);
}

export function unsupportedMediaType(accepted: readonly string[]): StoreError {
  const list = accepted.join(', ');
  return new StoreError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${list}`,
  );
}

function about(
  code: number,
  reason: string,
  { group, plural }: Named,
  name: string | undefined,
  message: string,
  causes?: FieldError[],
): StoreError {
  const named = { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: plural };
  return new DetailedError(code, reason, message, causes === undefined ? named : { ...named, causes });
}

/** Builders of field errors. */
export const fieldError = {
  required: (field: string, detail = ''): FieldError => ({
    field,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  }),
  invalid: (field: string, value: unknown, detail: string): FieldError => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`,
  }),
  forbidden: (field: string, detail: string): FieldError => ({ field, reason: 'FieldValueForbidden', message: `Forbidden: ${detail}` }),
  unsupported: (field: string, value: unknown, supported: readonly string[]): FieldError => ({
    field,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
  }),
};
