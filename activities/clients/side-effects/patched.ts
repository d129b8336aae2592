/** Compares the answer of a patch with the object that it was made for: the operations are what was declared. */
import { parsePointer } from '../../../domain/run/side-effects/paths.ts';
import type { KubeObject, Patch, ResourceRef } from '../../contract/ports.ts';
import { noteDifferences } from './recorder.ts';
import { defined } from '../../../domain/core/defined.ts';

type JsonOperation = Extract<Patch, { type: 'json' }>['body'][number];

/** `before` is the object at the resourceVersion that the patch insisted on: what differs beside the operations was changed by the server. */
export function notePatched(ref: ResourceRef, before: KubeObject, operations: readonly JsonOperation[], after: KubeObject): void {
  const { apiVersion, plural, namespace, name } = ref;
  noteDifferences({
    resource: { apiVersion, plural, ...defined({ namespace }), name },
    during: `a change of ${operations.map(({ path }) => path).join(', ')}`,
    // The type is said in answers alone where the object was listed.
    before: { ...before, apiVersion: after.apiVersion, kind: after.kind },
    after,
    declared: operations.map(({ path }) => declaredBy(path)),
  });
}

/** An element that comes or goes moves those behind it. */
function declaredBy(pointer: string): string[] {
  const path = parsePointer(pointer);
  return /^(?:-|\d+)$/.test(path.at(-1) ?? '') ? path.slice(0, -1) : path;
}
