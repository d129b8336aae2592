/** Reads of lists by index, where the index is known to be one of theirs. */

/** Throws a RangeError where there is no such element: an error of the forecast's own. */
export function at<T>(list: { readonly [index: number]: T; readonly length: number }, index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return value;
}

/** The list under a key, made where there is none. */
export function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: V[] = [];
  lists.set(key, made);
  return made;
}
