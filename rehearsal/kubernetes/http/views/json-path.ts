/** The JSON paths of printer columns: `.spec.count`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels.a\.b/c`, `.spec.items[0]`. */
import { isObject } from '../../json.ts';

type Step = { field: string } | { index: number } | { where: string; equals: string };

/** The first value that the path leads to. */
export function jsonPath(object: unknown, path: string): unknown {
  let value = object;
  for (const step of stepsOf(path)) {
    if ('field' in step) value = isObject(value) ? value[step.field] : undefined;
    else if (!Array.isArray(value)) return undefined;
    else if ('index' in step) value = value[step.index];
    else value = value.find((item) => isObject(item) && String(item[step.where]) === step.equals);
  }
  return value;
}

const STEP = /\.((?:\\.|[^.[\]\\])+)|\[(\d+)\]|\[\?\(@\.([\w-]+)\s*==\s*["']([^"']*)["']\)\]|\['([^']+)'\]/g;

function stepsOf(path: string): Step[] {
  return [...path.matchAll(STEP)].map(([, field, index, where, equals, quoted]): Step => {
    if (index !== undefined) return { index: Number(index) };
    if (where !== undefined) return { where, equals: equals ?? '' };
    return { field: quoted ?? (field ?? '').replaceAll('\\', '') };
  });
}
