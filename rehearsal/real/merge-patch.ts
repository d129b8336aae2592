/** JSON merge patches (RFC 7396) of the difference between two objects. */
import { equalJson, isObject } from '../kubernetes/json.ts';

/** undefined: nothing differs. Arrays are replaced as a whole. */
export function mergePatch(before: unknown, after: unknown): Record<string, unknown> | undefined {
  const from = isObject(before) && !Array.isArray(before) ? before : {};
  const to = isObject(after) && !Array.isArray(after) ? after : {};
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [was, is] = [from[key], to[key]];
    if (equalJson(was, is)) continue;
    if (is === undefined) patch[key] = null;
    else if (isObject(is) && !Array.isArray(is) && isObject(was) && !Array.isArray(was)) patch[key] = mergePatch(was, is) ?? {};
    else patch[key] = is;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
