/** Places within a resource: as segments, as people read them, and as JSON pointers. */

export type Segment = string | number;
export type Path = readonly Segment[];

/** `spec.template.spec.containers[web].image`, `metadata.labels["istio.io/rev"]`. */
export function pathText(path: Path): string {
  return path.map((segment, index) => segmentText(segment, index)).join('');
}

function segmentText(segment: Segment, index: number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (/^\[.*\]$/.test(segment)) return segment;
  if (!/^[\w-]+$/.test(segment)) return `[${JSON.stringify(segment)}]`;
  return index === 0 ? segment : `.${segment}`;
}

/** RFC 6901. */
export const pointerText = (path: Path): string =>
  path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Of a JSON pointer; numbers stay text. */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** `*` in a pattern is any segment, and `name*` any that begins so. */
export function isWithin(path: Path, pattern: readonly string[]): boolean {
  return pattern.every((part, index) => {
    const segment = path[index];
    if (segment === undefined) return false;
    return part.endsWith('*') ? String(segment).startsWith(part.slice(0, -1)) : String(segment) === part;
  });
}
