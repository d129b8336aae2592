/** Request bodies as objects of the type that the path names, or the server's complaint about them. */
import { messageOf } from '../../../../domain/core/unknown.ts';
import { badRequest, fieldError, invalid } from '../../failures.ts';
import { isObject } from '../../json.ts';
import { isKubeObject } from '../../patches/apply-patch.ts';
import { fillDefaults, prune } from '../../schemas/fill.ts';
import type { KubeObject, ResourceType } from '../../store.ts';
import { apiVersionOf } from '../../types.ts';
import { isCustom } from '../views/discovery.ts';
import { parseGoJson, summary } from '../views/go-json.ts';
import type { ResourceRequest } from '../request.ts';

/** The object that a create or an update sends. Throws BadRequest, and Invalid for a custom object of another kind. */
export function readObject(request: ResourceRequest): KubeObject {
  const { type, body } = request;
  const value = readJson(type, body);
  if (!isObject(value)) throw unrecognized(type, body, `cannot restore slice from ${typeof value}`);
  if (isCustom(type)) {
    if (!value.kind) throw unrecognized(type, body, `Object 'Kind' is missing in '${body}'`);
    const name = isObject(value.metadata) && typeof value.metadata.name === 'string' ? value.metadata.name : '';
    if (value.apiVersion !== apiVersionOf(type)) {
      const found = text(value.apiVersion);
      throw badRequest(`the API version in the data (${found}) does not match the expected API version (${apiVersionOf(type)})`);
    }
    if (value.kind !== type.kind) {
      const kind = text(value.kind);
      throw invalid({ group: type.group, kind }, name, fieldError.invalid('kind', kind, `must be ${type.kind}`));
    }
  } else checkBuiltIn(type, value);
  value.metadata ??= {};
  value.apiVersion = apiVersionOf(type);
  value.kind = type.kind;
  if (!isKubeObject(value)) throw badRequest('the object provided is unrecognized (must be of type map with metadata)');
  return value;
}

/** A null in an object of a built-in kind is no field. */
function dropNulls(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (inner === null) delete value[key];
      else dropNulls(inner);
    }
  }
}

/** Unknown fields go and defaults come, as the custom type's schema says. `fieldValidation` decides what its client hears of it. */
export function conform(object: KubeObject, request: ResourceRequest): void {
  if (!isCustom(request.type)) dropNulls(object);
  const schema = request.custom?.schema?.openAPIV3Schema;
  if (!schema) return;
  const unknown = prune(object, schema, true).map((path) => `unknown field "${path}"`);
  const validation = request.query.get('fieldValidation') ?? 'Warn';
  if (validation === 'Strict' && unknown.length > 0) {
    const { type } = request;
    throw badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${unknown.join(', ')}`,
    );
  }
  if (validation === 'Warn') request.warnings.push(...unknown);
  fillDefaults(object, schema);
}

function readJson(type: ResourceType, body: string): unknown {
  try {
    return parseGoJson(body);
  } catch (error) {
    const why = messageOf(error);
    throw unrecognized(type, body, `couldn't get version/kind; json parse error: ${why}`);
  }
}

function unrecognized(type: ResourceType, body: string, why: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${summary(body)})`);
}

function checkBuiltIn(type: ResourceType, value: Record<string, unknown>): void {
  const [apiVersion, kind] = [text(value.apiVersion ?? apiVersionOf(type)), text(value.kind ?? type.kind)];
  if (apiVersion === apiVersionOf(type) && kind === type.kind) return;
  const what = `${kind} in version "${apiVersion}" cannot be handled as a ${type.kind}`;
  if (apiVersion !== apiVersionOf(type)) {
    const known = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`;
    throw badRequest(`${what}: ${known}`);
  }
  const internal = type.group === '' ? 'core' : (type.group.split('.')[0] ?? '');
  throw badRequest(`${what}: converting (${type.version}.${kind}) to (${internal}.${type.kind}): unknown conversion`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
