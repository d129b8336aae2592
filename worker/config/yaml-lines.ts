/** Where a path of keys stands in a YAML document, for messages that name a line. */
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { KeyPath } from '../../domain/policy/config/base/errors.ts';

/** Offset of the key at the end of the path, or of the last key on the way that exists. */
export function offsetOf(root: Node | null, path: KeyPath): number | undefined {
  let node: unknown = root;
  let offset: number | undefined;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) return offset;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(key)];
      if (typeof item !== 'object' || item === null) return offset;
      if ('range' in item && Array.isArray(item.range) && typeof item.range[0] === 'number') offset = item.range[0];
      node = item;
    } else return offset;
  }
  return offset;
}
