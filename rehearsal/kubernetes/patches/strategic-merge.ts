/** Strategic merge patch: maps merge, lists with a merge key merge by it, other lists are replaced; `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` work. */
import { unexpected } from '../failures.ts';
import { isObject } from '../json.ts';

/**
 * List fields that merge by the value of a key: `patchMergeKey` in k8s.io/api. Two of them where the same name stands for two lists; then
 * what the list holds decides.
 */
const MERGE_KEYS: Record<string, string[]> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  imagePullSecrets: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  ports: ['containerPort', 'port'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  resourceClaims: ['name'],
  podIPs: ['ip'],
  hostIPs: ['ip'],
  conditions: ['type'],
  ownerReferences: ['uid'],
  addresses: ['type'],
  secrets: ['name'],
  webhooks: ['name'],
};

/** Lists of plain values that merge as sets. */
const MERGED_PRIMITIVES = new Set(['finalizers']);

const SET_ORDER = '$setElementOrder/';
const DELETE_FROM = '$deleteFromPrimitiveList/';

/** The patched value; neither input is changed. Throws the server's error for an item without its merge key. */
export function strategicMerge(current: unknown, patch: unknown): unknown {
  return mergeValue(current, patch, '');
}

function mergeValue(current: unknown, patch: unknown, field: string): unknown {
  if (Array.isArray(patch)) return mergeList(Array.isArray(current) ? current : [], patch, field, undefined);
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return without(patch, '$patch');
  const base = isObject(current) && !Array.isArray(current) ? current : {};
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (key === '$patch' || key === '$retainKeys' || key.startsWith(SET_ORDER)) continue;
    if (key.startsWith(DELETE_FROM)) {
      const list = key.slice(DELETE_FROM.length);
      const gone = Array.isArray(value) ? value : [];
      if (Array.isArray(result[list])) result[list] = result[list].filter((item) => !gone.includes(item));
    } else if (value === null) delete result[key];
    else if (isObject(value) && !Array.isArray(value) && value.$patch === 'delete') delete result[key];
    else if (Array.isArray(value)) {
      const known = result[key];
      result[key] = mergeList(Array.isArray(known) ? known : [], value, key, patch[SET_ORDER + key]);
    } else result[key] = mergeValue(result[key], value, key);
  }
  if (Array.isArray(patch.$retainKeys)) {
    const kept = patch.$retainKeys;
    for (const key of Object.keys(result)) if (!kept.includes(key)) delete result[key];
  }
  return result;
}

function mergeList(current: unknown[], patch: unknown[], field: string, order: unknown): unknown[] {
  if (MERGED_PRIMITIVES.has(field)) return [...new Set([...patch, ...current])];
  const items = patch.filter(isObject);
  if (items.some((item) => item.$patch === 'replace')) return items.filter((item) => item.$patch !== 'replace');
  const key = mergeKeyOf(field, [...current, ...items].filter(isObject));
  if (key === undefined || items.length !== patch.length) return patch;
  const keyOf = (item: unknown): unknown => (isObject(item) ? item[key] : item);
  const merged = new Map<unknown, unknown>(current.map((item) => [keyOf(item), item]));
  for (const item of items) {
    if (!(key in item)) throw unexpected(`map: ${goMap(item)} does not contain declared merge key: ${key}`);
    if (item.$patch === 'delete') merged.delete(item[key]);
    else merged.set(item[key], mergeValue(merged.get(item[key]) ?? {}, item, field));
  }
  const named = Array.isArray(order) ? order : items;
  return inOrder(merged, named.map(keyOf), current.map(keyOf));
}

/**
 * What the patch names stands in its order, the rest in the server's; between the two the server's order decides, and what is new comes
 * first.
 */
function inOrder(items: Map<unknown, unknown>, patchKeys: unknown[], serverKeys: unknown[]): unknown[] {
  const named = patchKeys.filter((key) => items.has(key));
  const rest = serverKeys.filter((key) => items.has(key) && !patchKeys.includes(key));
  const keys: unknown[] = [];
  while (named.length > 0 && rest.length > 0) {
    const takesNamed = serverKeys.indexOf(named[0]) < serverKeys.indexOf(rest[0]);
    keys.push(takesNamed ? named.shift() : rest.shift());
  }
  return [...keys, ...named, ...rest].map((key) => items.get(key));
}

function mergeKeyOf(field: string, items: Record<string, unknown>[]): string | undefined {
  const candidates = MERGE_KEYS[field] ?? [];
  return candidates.length > 1 ? candidates.find((candidate) => items.every((item) => candidate in item)) : candidates[0];
}

/** As Go prints a map. */
function goMap(item: Record<string, unknown>): string {
  const entries = Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `map[${entries.map(([key, value]) => `${key}:${isObject(value) ? goMap(value) : String(value)}`).join(' ')}]`;
}

function without(object: Record<string, unknown>, key: string): Record<string, unknown> {
  const { [key]: _gone, ...rest } = object;
  return rest;
}
