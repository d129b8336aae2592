/** Optional fields are absent, not undefined: hashes, signatures and comparisons of payloads see the difference. */

/** `fields` without the keys whose value is undefined; `{}` of undefined. */
export function defined<T extends object>(fields: T | undefined): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
