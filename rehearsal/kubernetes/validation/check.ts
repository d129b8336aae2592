/** What the API server checks before it stores an object that came over the wire. */
import { alreadyExists, type FieldError, fieldError, invalid } from '../failures.ts';
import { storedVersionErrors } from '../definitions.ts';
import type { ResourceRequest } from '../http/request.ts';
import { validate, validateListTypes } from '../schemas/validate.ts';
import { type KubeObject, type ObjectStore, type ResourceType, StoreError } from '../store.ts';
import { typeKey } from '../types.ts';
import { metadataErrors, metadataUpdateErrors, nameErrors } from './names.ts';
import { budgetErrors, immutableErrors, podSpecErrors, workloadErrors } from './workloads.ts';

/** Throws Invalid, BadRequest or AlreadyExists. */
export function checkCreate(store: ObjectStore, request: ResourceRequest, object: KubeObject): void {
  const { type } = request;
  decode(object);
  const errors = [...nameErrors(type, object), ...metadataErrors(object), ...contentErrors(type, object), ...schemaErrors(request, object)];
  const { name, namespace } = object.metadata;
  if (errors.length > 0) throw invalid(type, name ?? '', errors);
  if (name && store.get(typeKey(type), name, namespace)) throw alreadyExists(type, name);
}

/** Throws Invalid. */
export function checkUpdate(request: ResourceRequest, before: KubeObject, after: KubeObject): void {
  const { type } = request;
  decode(after);
  const errors = [
    ...metadataUpdateErrors(before, after),
    ...metadataErrors(after),
    ...(request.subresource === 'status' ? [] : [...contentErrors(type, after), ...immutableErrors(before, after)]),
    ...schemaErrors(request, after),
    ...(after.kind === 'CustomResourceDefinition' ? storedVersionErrors(after) : []),
  ];
  if (errors.length > 0) throw invalid(type, after.metadata.name, errors);
}

/** What reading a body makes of it: empty maps are none, a Secret's stringData is data. */
function decode(object: KubeObject): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences']) dropEmpty(object.metadata, field);
  if (object.kind !== 'Secret' && object.kind !== 'ConfigMap') return;
  for (const field of ['data', 'binaryData', 'stringData']) dropEmpty(object, field);
  if (object.kind !== 'Secret') return;
  for (const value of Object.values<unknown>(object.data ?? {})) {
    const text = typeof value === 'string' ? value : '';
    const wrong = text.search(/[^A-Za-z0-9+/=\r\n]/);
    if (wrong >= 0)
      throw new StoreError(
        400,
        'BadRequest',
        `Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${wrong}`,
      );
  }
  if (object.stringData === undefined) return;
  const encoded = Object.entries<string>(object.stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  object.data = { ...object.data, ...Object.fromEntries(encoded) };
  delete object.stringData;
}

function dropEmpty(object: Record<string, unknown>, field: string): void {
  const value = object[field];
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) delete object[field];
}

function contentErrors(type: ResourceType, object: KubeObject): FieldError[] {
  switch (object.kind) {
    case 'Pod':
      return podSpecErrors(object.spec, 'spec');
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet':
    case 'DaemonSet':
      return type.group === 'apps' ? workloadErrors(object) : [];
    case 'PodDisruptionBudget':
      return budgetErrors(object);
    case 'ConfigMap':
    case 'Secret':
      return Object.keys(object.data ?? {}).flatMap(keyErrors);
    case 'CustomResourceDefinition':
      return definitionErrors(object);
    default:
      return [];
  }
}

const CONFIG_KEY = '[-._a-zA-Z0-9]+';

function keyErrors(key: string): FieldError[] {
  if (new RegExp(`^${CONFIG_KEY}$`).test(key)) return [];
  const why = `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${CONFIG_KEY}')`;
  return [fieldError.invalid(`data[${key}]`, key, why)];
}

function definitionErrors({ metadata: { name }, spec }: KubeObject): FieldError[] {
  return name === `${spec?.names?.plural}.${spec?.group}`
    ? []
    : [fieldError.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function schemaErrors({ custom, subresource }: ResourceRequest, object: KubeObject): FieldError[] {
  const schema = custom?.schema?.openAPIV3Schema;
  if (!schema || subresource === 'scale') return [];
  const errors = validate(object, schema);
  return errors.length > 0 ? errors : validateListTypes(object, schema);
}
