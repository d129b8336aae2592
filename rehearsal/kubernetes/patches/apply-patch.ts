/** The patch formats of the API server, chosen by content type. */
import { parse as parseYaml } from 'yaml';
import { messageOf } from '../../../domain/core/unknown.ts';
import { badRequest, DetailedError, rejectedRequest, unsupportedMediaType } from '../failures.ts';
import { JsonError, parseGoJson } from '../http/views/go-json.ts';
import { cloneJson, isObject } from '../json.ts';
import type { KubeObject } from '../store.ts';
import { applyJsonPatch, PatchFailed } from './json-patch.ts';
import { strategicMerge } from './strategic-merge.ts';

export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** The patched copy. Throws BadRequest, Invalid (a `test` failed, a path is not there), or UnsupportedMediaType. */
export function applyPatch(options: { contentType: string; body: string; current: KubeObject; customResource: boolean }): KubeObject {
  const { contentType, current } = options;
  checkPatchType(contentType, options.customResource);
  const body = readBody(contentType, options.body);
  switch (contentType) {
    case PATCH_TYPES.json:
      return jsonPatched(current, body);
    case PATCH_TYPES.merge:
      if (!isObject(body) || Array.isArray(body))
        throw decoding(`json: cannot unmarshal ${goType(body)} into Go value of type map[string]interface {}`);
      return asObject(mergePatch(current, body));
    case PATCH_TYPES.strategic:
      return asObject(strategicMerge(current, body));
    default:
      return asObject(options.customResource ? mergePatch(current, body) : strategicMerge(current, body));
  }
}

/** Throws UnsupportedMediaType for what the resource cannot be patched with. */
export function checkPatchType(contentType: string, customResource: boolean): void {
  const known = Object.values<string>(PATCH_TYPES);
  if (!known.includes(contentType)) throw new DetailedError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  if (customResource && contentType === PATCH_TYPES.strategic)
    throw unsupportedMediaType([PATCH_TYPES.json, PATCH_TYPES.merge, PATCH_TYPES.apply]);
}

/** The configuration that server-side apply sends. undefined: it is another kind of patch. */
export function appliedBy({ contentType, body }: { contentType: string; body: string }): object | undefined {
  const value = contentType === PATCH_TYPES.apply ? readBody(contentType, body) : undefined;
  return isObject(value) ? value : undefined;
}

function readBody(contentType: string, body: string): unknown {
  try {
    return contentType === PATCH_TYPES.apply ? parseYaml(body) : parseGoJson(body);
  } catch (error) {
    const why = messageOf(error);
    if (contentType === PATCH_TYPES.strategic && error instanceof JsonError) throw badRequest(why);
    throw decoding(why);
  }
}

function decoding(why: string): Error {
  return badRequest(`error decoding patch: ${why}`);
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function jsonPatched(current: KubeObject, body: unknown): KubeObject {
  if (!Array.isArray(body)) throw decoding(`json: cannot unmarshal ${goType(body)} into Go value of type []handlers.jsonPatchOp`);
  try {
    return asObject(applyJsonPatch(current, body.filter(isObject)));
  } catch (error) {
    throw error instanceof PatchFailed ? rejectedRequest() : error;
  }
}

/** RFC 7386. */
function mergePatch(current: unknown, patch: unknown): unknown {
  if (!isObject(patch) || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = isObject(current) && !Array.isArray(current) ? { ...current } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function asObject(value: unknown): KubeObject {
  if (!isKubeObject(value)) throw badRequest('the patched object is not a Kubernetes object');
  return cloneJson(value);
}

export function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value.metadata);
}
