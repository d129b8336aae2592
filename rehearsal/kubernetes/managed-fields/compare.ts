/** Which fields two states of an object differ in, and which an applied configuration names: sigs.k8s.io/structured-merge-diff, typed/compare.go and typed/tofieldset.go. */
import { equalJson, isObject } from '../json.ts';
import { isMap } from '../schemas/schema.ts';
import { FieldSet } from './field-set.ts';
import { fieldOf, type FieldType, isAtomicMap, itemOf, type ListType, listType, zeroOf } from './field-types.ts';

export interface Comparison {
  /** Added or changed. */
  written: FieldSet;
  removed: FieldSet;
}

interface Place {
  path: readonly string[];
  type: FieldType;
}

export function compare(before: object, after: object, type: FieldType): Comparison {
  const result = { written: new FieldSet(), removed: new FieldSet() };
  walk(before, after, { path: [], type }, result);
  return result;
}

function walk(before: unknown, after: unknown, place: Place, result: Comparison): void {
  if (before === after) return;
  const sample = isObject(after) ? after : before;
  const isMixed = isObject(before) && isObject(after) && Array.isArray(before) !== Array.isArray(after);
  if (!isObject(sample) || isMixed || (isNothing(before) && isNothing(after))) return leaf(before, after, place, result);
  if (Array.isArray(sample)) {
    const [left, right] = [listOf(before), listOf(after)];
    const type = listType(place.type, [...left, ...right]);
    if (type === 'atomic') return leaf(before, after, place, result);
    const items = new Map(left.map((item) => [stepOf(item, type), item]));
    const others = new Map(right.map((item) => [stepOf(item, type), item]));
    for (const step of new Set([...items.keys(), ...others.keys()]))
      walk(items.get(step), others.get(step), { path: [...place.path, step], type: itemOf(place.type) }, result);
  } else {
    if (isAtomicMap(place.type)) return leaf(before, after, place, result);
    const [left, right] = [mapOf(before), mapOf(after)];
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (left[key] === right[key] || key === 'managedFields') continue;
      const type = fieldOf(place.type, key);
      const zero = zeroOf(type);
      const [old, now] = [before === undefined ? undefined : (left[key] ?? zero), after === undefined ? undefined : (right[key] ?? zero)];
      walk(old, now, { path: [...place.path, `f:${key}`], type }, result);
    }
  }
  if (place.path.length === 0) return;
  if (before === undefined) result.written.insert(place.path);
  else if (after === undefined) result.removed.insert(place.path);
}

function leaf(before: unknown, after: unknown, { path }: Place, result: Comparison): void {
  if (after === undefined) result.removed.insert(path);
  else if (before === undefined || !equalJson(before, after)) result.written.insert(path);
}

/** Maps are not among them, items of lists are. */
export function declared(object: object, type: FieldType): FieldSet {
  const set = new FieldSet();
  declare(object, { path: [], type }, set);
  return set;
}

function declare(value: unknown, { path, type }: Place, set: FieldSet): void {
  if (Array.isArray(value)) {
    const kind = listType(type, value);
    if (kind === 'atomic') return set.insert(path);
    for (const item of value) {
      const inner = [...path, stepOf(item, kind)];
      set.insert(inner);
      if (isObject(item)) declare(item, { path: inner, type: itemOf(type) }, set);
    }
  } else if (isMap(value) && !isAtomicMap(type) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) declare(inner, { path: [...path, `f:${key}`], type: fieldOf(type, key) }, set);
  } else if (path.length > 0) set.insert(path);
}

function stepOf(item: unknown, type: Exclude<ListType, 'atomic'>): string {
  if (type === 'set' || !isMap(item)) return `v:${JSON.stringify(item)}`;
  const keys = [...type].sort().filter((key) => item[key] !== undefined);
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key]])))}`;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const mapOf = (value: unknown): Record<string, unknown> => (isMap(value) ? value : {});
/** Empty, null or absent on one side: an empty list is no null. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
