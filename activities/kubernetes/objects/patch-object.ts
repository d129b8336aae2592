/** Read, decide, patch with a test on resourceVersion, and again when somebody else was faster: how every object here is changed. */
import { failureOf, failureType } from '../../runtime/translate-errors.ts';
import { notePatched } from '../../clients/side-effects/patched.ts';
import type { KubeObject, KubernetesPort, Patch, ResourceRef } from '../../contract/ports.ts';

export type JsonOperation = Extract<Patch, { type: 'json' }>['body'][number];

export type PatchResult<T> =
  /** `changed` false: the object was as wanted already. `seen` is the object that the decision was made on. */
  { kind: 'there'; changed: boolean; seen: T; object: T } | { kind: 'gone' };

const ATTEMPTS = 10;

/**
 * Applies what `decide` wants, in one JSON patch that fails when the object is no longer the one that was looked at. `decide` returns
 * undefined or no operations when nothing is to be done, so that a repeated call changes nothing. `known` spares the first read.
 * Throws `Conflict` when others keep changing the object, and what the port throws.
 */
export async function lookThenPatch<T extends KubeObject>(
  port: KubernetesPort,
  ref: ResourceRef,
  decide: (object: T) => JsonOperation[] | undefined,
  known?: T,
): Promise<PatchResult<T>> {
  let object = known ?? (await port.get<T>(ref));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (object === undefined) return { kind: 'gone' };
    const operations = decide(object);
    if (operations === undefined || operations.length === 0) return { kind: 'there', changed: false, seen: object, object };
    const { resourceVersion } = object.metadata;
    try {
      const body: JsonOperation[] = [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }, ...operations];
      const patched = await port.patch<T>(ref, { type: 'json', body });
      notePatched(ref, object, operations, patched);
      return { kind: 'there', changed: true, seen: object, object: patched };
    } catch (error) {
      // A failed test comes back as 409 or as 422, and 422 may also be a refusal of the content: the resourceVersion tells.
      const type = failureType(error);
      if (type !== 'Conflict' && type !== 'InvalidRequest' && type !== 'NotFound') throw error;
      const again = await port.get<T>(ref);
      if (again !== undefined && again.metadata.resourceVersion === resourceVersion) throw error;
      object = again;
    }
  }
  throw failureOf('Conflict', `changing ${ref.plural} ${ref.name}: others changed it ${ATTEMPTS} times in between`);
}

/** Sets (string) or removes (null) annotations, and creates the map where there is none. Only what differs becomes an operation. */
export function annotate(object: KubeObject, wanted: Record<string, string | null>): JsonOperation[] {
  return editMap('/metadata/annotations', object.metadata.annotations, wanted);
}

/** The same for labels. */
export function relabel(object: KubeObject, wanted: Record<string, string | null>): JsonOperation[] {
  return editMap('/metadata/labels', object.metadata.labels, wanted);
}

/** The same for any map of strings at `path`. When the last key goes, the map goes too: it is then as if it had never been there. */
export function editMap(path: string, current: Record<string, string> | undefined, wanted: Record<string, string | null>): JsonOperation[] {
  const changes = Object.entries(wanted).filter(([key, value]) => (current?.[key] ?? null) !== value);
  if (changes.length === 0) return [];
  if (current === undefined) {
    return [{ op: 'add', path, value: Object.fromEntries(changes.filter(([, value]) => value !== null)) }];
  }
  const kept = new Set(Object.keys(current));
  for (const [key, value] of changes) {
    if (value === null) kept.delete(key);
    else kept.add(key);
  }
  if (kept.size === 0) return [{ op: 'remove', path }];
  return changes.map(([key, value]): JsonOperation => {
    const at = `${path}/${pointer(key)}`;
    return value === null ? { op: 'remove', path: at } : { op: 'add', path: at, value };
  });
}

/** A key as a part of a JSON pointer (RFC 6901). */
function pointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
