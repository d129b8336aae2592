/** What the API server does to a custom object before it looks at it: unknown fields go, defaults come. */
import { cloneJson } from '../json.ts';
import { fieldSchema, isMap, type Schema } from './schema.ts';

/** Removes what the schema does not know, in place; returns the paths of what went, as strict decoding names them. */
export function prune(value: unknown, schema: Schema, isRoot = false, path = ''): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, index) => prune(item, items, false, `${path}[${index}]`));
  }
  if (!isMap(value)) return [];
  const gone: string[] = [];
  const embedded = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [key, inner] of Object.entries(value)) {
    if (embedded && (key === 'apiVersion' || key === 'kind' || key === 'metadata')) continue;
    const here = path === '' ? key : `${path}.${key}`;
    const known = fieldSchema(schema, key);
    if (known) gone.push(...prune(inner, known, false, here));
    else if (schema['x-kubernetes-preserve-unknown-fields'] !== true && schema.additionalProperties !== true) {
      delete value[key];
      gone.push(here);
    }
  }
  return gone;
}

/** Puts defaults where a field is absent, in place; a null that may not be counts as absent. */
export function fillDefaults(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) fillDefaults(item, schema.items);
    return;
  }
  if (!isMap(value)) return;
  for (const [key, known] of Object.entries(schema.properties ?? {})) {
    if (value[key] === null && known.nullable !== true) delete value[key];
    if (value[key] === undefined && known.default !== undefined) value[key] = cloneJson(known.default);
  }
  for (const [key, inner] of Object.entries(value)) {
    const known = fieldSchema(schema, key);
    if (known) fillDefaults(inner, known);
  }
}
