/** The patch formats of the API server, chosen by content type. */
import jsonPatch from 'fast-json-patch';
import { parse as parseYaml } from 'yaml';
import { badRequest, rejectedRequest } from '../failures.ts';
import { cloneJson, isObject } from '../json.ts';
import { type KubeObject, StoreError } from '../store.ts';
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
  const body = readBody(contentType, options.body);
  switch (contentType) {
    case PATCH_TYPES.json:
      return applyJsonPatch(current, body);
    case PATCH_TYPES.merge:
      return asObject(mergePatch(current, body));
    case PATCH_TYPES.strategic:
      if (options.customResource) throw unsupported(contentType, [PATCH_TYPES.json, PATCH_TYPES.merge, PATCH_TYPES.apply]);
      return asObject(strategicMerge(current, body));
    case PATCH_TYPES.apply:
      return asObject(options.customResource ? mergePatch(current, body) : strategicMerge(current, body));
    default:
      throw unsupported(contentType, Object.values(PATCH_TYPES));
  }
}

function readBody(contentType: string, body: string): unknown {
  try {
    return contentType === PATCH_TYPES.apply ? parseYaml(body) : JSON.parse(body);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function applyJsonPatch(current: KubeObject, body: unknown): KubeObject {
  if (!Array.isArray(body)) throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  try {
    return asObject(jsonPatch.applyPatch(cloneJson(current), body, true).newDocument);
  } catch {
    throw rejectedRequest();
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

function unsupported(contentType: string, allowed: readonly string[]): StoreError {
  return new StoreError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${allowed.join(', ')}${contentType ? '' : ' (no content type was sent)'}`,
  );
}
