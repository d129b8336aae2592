/** JSON schemas of add-on configurations, as far as they say which keys there may be. Pure. */
import { field, isRecord } from '../core/unknown.ts';

/** Members that hold schemas by name. */
const NAMED = ['properties', 'patternProperties', 'definitions', '$defs'] as const;
/** Longer chains of references lead in circles. */
const MOST_REFERENCES = 20;

/** The same schema with nothing but what `unknownKeys` reads: no defaults, no descriptions. */
export function outlineOf(schema: unknown): object {
  if (!isRecord(schema)) return {};
  const { additionalProperties: others, $ref } = schema;
  const named = NAMED.flatMap((member): [string, object][] => {
    const schemas = schema[member];
    return isRecord(schemas) ? [[member, Object.fromEntries(Object.entries(schemas).map(([key, each]) => [key, outlineOf(each)]))]] : [];
  });
  return {
    ...(typeof $ref === 'string' ? { $ref } : {}),
    ...Object.fromEntries(named),
    ...(others === false ? { additionalProperties: others } : isRecord(others) ? { additionalProperties: outlineOf(others) } : {}),
  };
}

/**
 * Keys that the schema does not have, as paths ("autoScaling.min"). It forbids other keys only where it says so. EKS's schemas begin with a reference:
 * `{"$ref": "#/definitions/Coredns", "definitions": {…}}` (AWS CLI reference, describe-addon-configuration). undefined: a reference leads nowhere, so
 * that it is not known.
 */
export function unknownKeys(values: unknown, root: unknown, schema: unknown = root, path = ''): string[] | undefined {
  const resolved = resolve(schema, root);
  if (resolved === undefined) return undefined;
  if (!isRecord(values)) return [];
  const found: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const known = schemaOfKey(resolved, key);
    if (known === false) found.push(`${path}${key}`);
    if (!isRecord(known)) continue;
    const inner = unknownKeys(value, root, known, `${path}${key}.`);
    if (inner === undefined) return undefined;
    found.push(...inner);
  }
  return found;
}

/** false: there may be no such key. Keys by pattern are not judged. */
function schemaOfKey(schema: unknown, key: string): unknown {
  const properties = field(schema, 'properties');
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key];
  return field(schema, 'patternProperties') === undefined ? field(schema, 'additionalProperties') : undefined;
}

/** What a reference within the same schema points at. undefined: nothing. */
function resolve(schema: unknown, root: unknown): unknown {
  let current = schema;
  for (let followed = 0; followed <= MOST_REFERENCES; followed += 1) {
    const to = field(current, '$ref');
    if (typeof to !== 'string') return current;
    if (!to.startsWith('#')) return undefined;
    const steps = to.split('/').slice(1);
    current = steps.reduce<unknown>((inner, step) => field(inner, step.replaceAll('~1', '/').replaceAll('~0', '~')), root);
  }
  return undefined;
}
