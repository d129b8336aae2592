/** JSON patches, RFC 6902, as far as the API server holds to it: a replace of a map's absent key adds it. */
import { cloneJson, equalJson, isObject } from '../json.ts';

export interface Operation {
  op?: unknown;
  path?: unknown;
  from?: unknown;
  value?: unknown;
}

/** A path that does not lead anywhere, a test that fails, an operation that is none. */
export class PatchFailed extends Error {}

/** The patched copy. Throws PatchFailed. */
export function applyJsonPatch<T>(document: T, operations: readonly Operation[]): T {
  const root = { document: cloneJson(document) };
  for (const operation of operations) apply(root, operation);
  return root.document;
}

function apply(root: { document: unknown }, { op, path, from, value }: Operation): void {
  switch (op) {
    case 'add':
      return add(root, pointer(path), cloneJson(value));
    case 'remove':
      return void take(root, pointer(path));
    case 'replace': {
      const place = pointer(path);
      const parent = parentOf(root, place);
      if (Array.isArray(parent)) indexIn(parent, place.at(-1) ?? '', parent.length - 1);
      return set(parent, place.at(-1) ?? '', cloneJson(value));
    }
    case 'move':
      return add(root, pointer(path), take(root, pointer(from)));
    case 'copy':
      return add(root, pointer(path), cloneJson(read(root, pointer(from))));
    case 'test':
      if (!equalJson(read(root, pointer(path), true) ?? null, value ?? null)) throw new PatchFailed('test failed');
      return undefined;
    default:
      throw new PatchFailed('unexpected kind');
  }
}

/** The steps of a JSON pointer below the root's only field. */
function pointer(path: unknown): string[] {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) throw new PatchFailed('bad path');
  const steps = path.split('/').slice(1);
  return ['document', ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))];
}

function add(root: object, place: string[], value: unknown): void {
  const parent = parentOf(root, place);
  const key = place.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(key === '-' ? parent.length : indexIn(parent, key, parent.length), 0, value);
  else set(parent, key, value);
}

function take(root: object, place: string[]): unknown {
  const parent = parentOf(root, place);
  const key = place.at(-1) ?? '';
  if (Array.isArray(parent)) return parent.splice(indexIn(parent, key, parent.length - 1), 1)[0];
  if (!isObject(parent) || !(key in parent)) throw new PatchFailed('nothing is there');
  const value = parent[key];
  delete parent[key];
  return value;
}

function read(root: object, place: string[], lenient = false): unknown {
  let value: unknown = root;
  for (const step of place) {
    const next: unknown = Array.isArray(value) ? value[indexIn(value, step, value.length - 1)] : isObject(value) ? value[step] : undefined;
    if (next === undefined && !lenient) throw new PatchFailed('nothing is there');
    value = next;
  }
  return value;
}

function parentOf(root: object, place: string[]): unknown {
  return read(root, place.slice(0, -1));
}

function set(parent: unknown, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else if (isObject(parent)) parent[key] = value;
  else throw new PatchFailed('nothing is there');
}

function indexIn(list: unknown[], key: string, most: number): number {
  if (!/^(0|[1-9]\d*)$/.test(key) || Number(key) > most) throw new PatchFailed('no such index');
  return Number(key);
}
