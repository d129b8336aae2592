/** Takes the recording machine out of a history: host names, process ids, paths. Replay looks at none of them. */

/** `paths`: folders of the recording machine, longest first. */
export function scrub(value: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => scrub(item, paths));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scrubField(key, inner, value, paths)]));
}

function scrubField(key: string, inner: unknown, owner: object, paths: readonly string[]): unknown {
  if (typeof inner !== 'string') return scrub(inner, paths);
  if (key === 'identity') return 'recorder';
  if (key === 'stackTrace') return '';
  // A sticky queue is named after its worker's process and host.
  if (key === 'name' && 'kind' in owner && owner.kind === 'TASK_QUEUE_KIND_STICKY') return 'sticky';
  if (key === 'data') return scrubPayload(inner, paths);
  return inner;
}

/** Payloads are base64 of JSON. */
function scrubPayload(base64: string, paths: readonly string[]): string {
  const text = Buffer.from(base64, 'base64').toString();
  const clean = paths.reduce((left, path) => left.replaceAll(path, '/recorder'), text);
  return clean === text ? base64 : Buffer.from(clean).toString('base64');
}

/** Everything that a history says in plain text, payloads included. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, inner]) => (key === 'data' && typeof inner === 'string' ? Buffer.from(inner, 'base64').toString() : plainText(inner)))
    .join('\n');
}
