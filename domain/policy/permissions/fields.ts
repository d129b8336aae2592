/** How a change is written down: a resource, what is done to it, and which of its fields may differ afterwards. Pure. */
import type { AdmissionOption } from './options.ts';

/** A map whose keys may differ; `any`: whatever is below. All other keys stay as they are. */
export interface Fields {
  readonly [key: string]: Fields | 'any' | Items;
}

/** A list that keeps its length; its items may differ in these keys. */
export interface Items {
  readonly items: readonly string[];
}

/** In CEL, over object, oldObject and request. */
export interface Condition {
  cel: string;
  /** What is refused, for whoever reads the refusal. */
  refuses: string;
}

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface Change {
  /** Absent: of the base role. A change that two options make is listed for each. */
  option?: AdmissionOption;
  /** "apps/deployments", "/pods/eviction" */
  resource: string;
  /** The role names these objects, and grants no others. */
  names?: readonly string[];
  operation: Operation;
  /** Of an update. */
  fields?: Fields;
  conditions?: readonly Condition[];
}

/** An OpenAPI string map in which these keys may come, go and change. */
export const keys = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, 'any']));
export const annotations = (...names: readonly string[]): Fields => ({ annotations: keys(...names) });

/** What the API server itself writes on an update. */
const WRITTEN_BY_THE_SERVER = { metadata: keys('generation', 'managedFields', 'resourceVersion') };

/** All fields that may change on a resource, in one tree; undefined: it is not updated at all. */
export function fieldsOf(changes: readonly Change[], resource: string): Fields | undefined {
  const found = changes.filter((change) => change.resource === resource && change.operation === 'UPDATE');
  if (found.length === 0) return undefined;
  return found.reduce<Fields>((all, { fields = {} }) => merged(all, fields), WRITTEN_BY_THE_SERVER);
}

function merged(one: Fields, other: Fields): Fields {
  const all: Record<string, Fields[string]> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = all[key];
    all[key] = known === undefined || value === 'any' || isItems(value) || known === 'any' || isItems(known) ? value : merged(known, value);
  }
  return all;
}

export function isItems(value: Fields[string]): value is Items {
  return value !== 'any' && Array.isArray(value['items']);
}
