/** Edits of one object, each with its reason: a diff that people can read, and that a YAML file can take without losing its comments. */

export type Path = readonly (string | number)[];

export type Edit =
  | { op: 'set'; path: Path; value: unknown; why: string }
  | { op: 'remove'; path: Path; why: string }
  /** The value goes from `path` to `to` of the same object. */
  | { op: 'move'; path: Path; to: Path; why: string };

/** An object as Kubernetes serves it or as a manifest has it. */
export interface Manifest {
  apiVersion?: unknown;
  kind?: unknown;
  [key: string]: unknown;
}

/** What becomes of one object. */
export interface Rewrite {
  edits: Edit[];
  /** What nobody can decide for its owners. */
  questions: string[];
}

type Container = Record<string | number, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The value at a path; undefined where there is none. */
export function at(object: unknown, path: Path): unknown {
  let value = object;
  for (const key of path) {
    if (!isContainer(value)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy of the object with the edits made, in their order. Parents are made where they are missing; a parent that becomes empty goes. */
export function applyEdits<T extends Manifest>(object: T, edits: readonly Edit[]): T {
  const copy = structuredClone(object);
  for (const edit of edits) {
    if (edit.op === 'set') put(copy, edit.path, structuredClone(edit.value));
    else {
      const value = at(copy, edit.path);
      drop(copy, edit.path);
      if (edit.op === 'move' && value !== undefined) put(copy, edit.to, value);
    }
  }
  return copy;
}

function put(object: Container, path: Path, value: unknown): void {
  let parent = object;
  for (const [index, key] of path.slice(0, -1).entries()) {
    let next = parent[key];
    if (!isContainer(next)) {
      next = typeof path[index + 1] === 'number' ? [] : {};
      parent[key] = next;
    }
    if (isContainer(next)) parent = next;
  }
  const last = path.at(-1);
  if (last !== undefined) parent[last] = value;
}

function drop(object: Container, path: Path): void {
  const [last, above] = [path.at(-1), path.slice(0, -1)];
  const parent = above.length === 0 ? object : at(object, above);
  if (last === undefined || !isContainer(parent)) return;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  if (above.length > 0 && Object.keys(parent).length === 0) drop(object, above);
}
