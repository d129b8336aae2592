/** Reading values whose shape is not known yet: what an app sent is looked at field by field, never cast. */

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The objects of an array; an empty list for anything else. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An object's texts by key; other values count as empty. */
export function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, text]) => [key, textOf(text) ?? '']));
}

/** Form bodies carry booleans as "true" and "1". */
export function isYes(value: unknown): boolean {
  return value === true || value === 'true' || value === '1' || value === 1;
}
