/** What a schema has against a custom object, in the words of the API server (its rules in CEL are not looked at). */
import type { FieldError } from '../failures.ts';
import { equalJson, isObject } from '../json.ts';
import { isMap, type Schema } from './schema.ts';

export function validate(value: unknown, schema: Schema, path = ''): FieldError[] {
  if (value === null) return schema.nullable === true || typeText(schema) === '' ? [] : [wrongType(path, schema, 'null')];
  const errors = hasType(value, schema) ? [] : [wrongType(path, schema, typeof value === 'object' ? typeName(value) : value)];
  if (typeof value === 'string') errors.push(...validateText(value, schema, path));
  if (typeof value === 'number') errors.push(...validateNumber(value, schema, path));
  if (Array.isArray(value)) errors.push(...validateList(value, schema, path));
  else if (isObject(value)) errors.push(...validateMap(value, schema, path));
  if (schema.enum && !schema.enum.some((allowed) => equalJson(allowed, value))) errors.push(unsupported(path, value, schema.enum));
  return errors;
}

function validateText(value: string, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const length = Array.from(value).length;
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.push(tooLong(path, schema.maxLength));
  if (schema.minLength !== undefined && length < schema.minLength)
    errors.push(invalid(path, value, `should be at least ${schema.minLength} chars long`));
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
    errors.push(invalid(path, value, `should match '${schema.pattern}'`));
  const isFormat = schema.format === undefined ? undefined : FORMATS[schema.format];
  if (isFormat && schema.format && !isFormat(value)) {
    const shown = JSON.stringify(value);
    errors.push({
      field: path,
      reason: 'FieldValueTypeInvalid',
      message: `Invalid value: ${shown}: ${path} in body must be of type ${schema.format}: ${shown}`,
    });
  }
  return errors;
}

const FORMATS: Record<string, (text: string) => boolean> = {
  'date-time': (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  duration: (text) => /^(\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|d|w)\s*)+$|^0$/.test(text),
};

function validateNumber(value: number, schema: Schema, path: string): FieldError[] {
  const { minimum, maximum, multipleOf } = schema;
  const errors: FieldError[] = [];
  if (multipleOf !== undefined && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9)
    errors.push(invalid(path, value, `should be a multiple of ${multipleOf}`));
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    errors.push(invalid(path, value, `should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${maximum}`));
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    errors.push(invalid(path, value, `should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${minimum}`));
  return errors;
}

function validateList(value: unknown[], schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { items, minItems, maxItems } = schema;
  if (items) for (const [index, item] of value.entries()) errors.push(...validate(item, items, `${path}[${index}]`));
  if (minItems !== undefined && value.length < minItems) errors.push(invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  return errors;
}

function validateMap(value: Record<string, unknown>, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keys = Object.keys(value);
  const { minProperties, maxProperties, additionalProperties } = schema;
  if (minProperties !== undefined && keys.length < minProperties)
    errors.push(invalid(path, keys.length, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && keys.length > maxProperties) errors.push(tooMany(path, keys.length, maxProperties));
  for (const key of keys) {
    const here = path === '' ? key : `${path}.${key}`;
    const known = schema.properties?.[key] ?? (isMap(additionalProperties) ? additionalProperties : undefined);
    if (known) errors.push(...validate(value[key], known, here));
  }
  for (const key of schema.required ?? []) {
    if (value[key] === undefined)
      errors.push({ reason: 'FieldValueRequired', message: 'Required value', field: path === '' ? key : `${path}.${key}` });
  }
  return errors;
}

/** Lists that are maps or sets: no key and no item twice. Looked at after the schema itself. */
export function validateListTypes(value: unknown, schema: Schema, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
    const identify = (item: unknown) => (keys && isMap(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item);
    const errors = keys !== undefined || schema['x-kubernetes-list-type'] === 'set' ? duplicates(value.map(identify), path) : [];
    const { items } = schema;
    return items ? [...errors, ...value.flatMap((item, index) => validateListTypes(item, items, `${path}[${index}]`))] : errors;
  }
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = schema.properties?.[key];
    return known ? validateListTypes(inner, known, path === '' ? key : `${path}.${key}`) : [];
  });
}

function duplicates(items: unknown[], path: string): FieldError[] {
  return items.flatMap((item, index) =>
    items.findIndex((other) => equalJson(other, item)) < index
      ? [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(item)}`, field: `${path}[${index}]` }]
      : [],
  );
}

function hasType(value: unknown, schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case undefined:
    case '':
      return true;
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isMap(value);
    default:
      return typeof value === schema.type;
  }
}

function typeText(schema: Schema): string {
  return schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : (schema.type ?? '');
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function wrongType(path: string, schema: Schema, shown: unknown): FieldError {
  const found = typeof shown === 'string' && ['null', 'array', 'object'].includes(shown) ? shown : typeName(shown);
  return {
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${JSON.stringify(found)}: ${path} in body must be of type ${typeText(schema)}: ${JSON.stringify(found)}`,
    field: path,
  };
}

function invalid(path: string, value: unknown, why: string): FieldError {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${path} in body ${why}`, field: path };
}

function unsupported(path: string, value: unknown, allowed: unknown[]): FieldError {
  const values = allowed.map((each) => JSON.stringify(each)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`,
    field: path,
  };
}

function tooLong(path: string, most: number): FieldError {
  return { reason: 'FieldValueTooLong', message: `Too long: may not be more than ${most} bytes`, field: path };
}

function tooMany(path: string, found: number, most: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    message: `Too many: ${found}: must have at most ${most} item${most === 1 ? '' : 's'}`,
    field: path,
  };
}
