/** Takes control characters out of what others have written, before a terminal obeys them. */
import { isRecord } from '../../domain/core/unknown.ts';

/** One line. Whoever may write to Temporal names phases, gates and campaigns: a terminal must not obey them. */
// oxlint-disable-next-line no-control-regex
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');

/** The same for texts of several lines. */
const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/**
 * What is read from a cluster, from Temporal or from a file that anybody may have written, before it is rendered: colours are added afterwards. Line breaks
 * stay unless `plain` is given.
 */
export function withoutControls<T>(value: T, textOf?: (text: string) => string): T;
export function withoutControls(value: unknown, textOf: (text: string) => string = plainLines): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutControls(one, textOf));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [textOf(key), withoutControls(inner, textOf)]));
  return typeof value === 'string' ? textOf(value) : value;
}
