/**
 * Bodies in the API server's protobuf, as far as clients insist on it: Helm's typed client writes its release Secrets so, and kubectl its
 * questions about rights. Answers are JSON, which every client accepts. Wire format: protobuf.dev/programming-guides/encoding; fields: generated.proto of k8s.io/api and apimachinery.
 */
import { StoreError } from '../../store.ts';

/** In front of the envelope, runtime.Unknown. */
const MAGIC = Buffer.from('k8s\0', 'latin1');

type Kind = 'text' | 'base64' | 'number' | 'flag' | 'time' | 'texts' | 'map of text' | 'map of base64' | Fields;
interface Fields {
  [field: number]: [name: string, kind: Kind];
}

const META: Fields = {
  1: ['name', 'text'],
  2: ['generateName', 'text'],
  3: ['namespace', 'text'],
  5: ['uid', 'text'],
  6: ['resourceVersion', 'text'],
  7: ['generation', 'number'],
  8: ['creationTimestamp', 'time'],
  11: ['labels', 'map of text'],
  12: ['annotations', 'map of text'],
  14: ['finalizers', 'texts'],
};
const DELETE_OPTIONS: Fields = {
  1: ['gracePeriodSeconds', 'number'],
  2: ['preconditions', { 1: ['uid', 'text'], 2: ['resourceVersion', 'text'] }],
  4: ['propagationPolicy', 'text'],
  5: ['dryRun', 'texts'],
};
const RESOURCE: Fields = {
  1: ['namespace', 'text'],
  2: ['verb', 'text'],
  3: ['group', 'text'],
  4: ['version', 'text'],
  5: ['resource', 'text'],
  6: ['subresource', 'text'],
  7: ['name', 'text'],
};
const KINDS: Record<string, Fields> = {
  SelfSubjectAccessReview: {
    1: ['metadata', META],
    2: ['spec', { 1: ['resourceAttributes', RESOURCE], 2: ['nonResourceAttributes', { 1: ['path', 'text'], 2: ['verb', 'text'] }] }],
  },
  SelfSubjectRulesReview: { 1: ['metadata', META], 2: ['spec', { 1: ['namespace', 'text'] }] },
  SelfSubjectReview: { 1: ['metadata', META] },
  Eviction: { 1: ['metadata', META], 2: ['deleteOptions', DELETE_OPTIONS] },
  Secret: {
    1: ['metadata', META],
    2: ['data', 'map of base64'],
    3: ['type', 'text'],
    4: ['stringData', 'map of text'],
    5: ['immutable', 'flag'],
  },
  ConfigMap: { 1: ['metadata', META], 2: ['data', 'map of text'], 3: ['binaryData', 'map of base64'], 4: ['immutable', 'flag'] },
  Namespace: { 1: ['metadata', META] },
  DeleteOptions: DELETE_OPTIONS,
};

/** The body as JSON text; undefined for a kind that is not known here. Throws BadRequest for bytes that are no such message. */
export function jsonOfProtobuf(body: Buffer): string | undefined {
  if (body.length === 0) return '';
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw malformed('it does not begin with the magic number');
  let type: { apiVersion?: unknown; kind?: unknown } = {};
  let raw: Buffer = Buffer.alloc(0);
  for (const { field, bytes } of fieldsOf(body.subarray(MAGIC.length))) {
    if (field === 1) type = message(bytes, { 1: ['apiVersion', 'text'], 2: ['kind', 'text'] });
    if (field === 2) raw = bytes;
  }
  const fields = KINDS[String(type.kind)];
  return fields === undefined ? undefined : JSON.stringify({ ...type, ...message(raw, fields) });
}

interface Field {
  field: number;
  /** Of a length-delimited field; empty for numbers. */
  bytes: Buffer;
  number: number;
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw malformed('it ends in the middle of a number');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wire = tag & 7;
    if (wire === 0) yield { field: tag >> 3, bytes: Buffer.alloc(0), number: varint() };
    else if (wire === 2) {
      const length = varint();
      if (length < 0 || at + length > bytes.length) throw malformed('it ends in the middle of a field');
      yield { field: tag >> 3, bytes: bytes.subarray(at, at + length), number: 0 };
      at += length;
    } else throw malformed(`it has a field of wire type ${wire}`);
  }
}

function message(bytes: Buffer, fields: Fields): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const field of fieldsOf(bytes)) {
    const known = fields[field.field];
    if (known === undefined) continue;
    const [name, kind] = known;
    const read = valueOf(field, kind, value[name]);
    // As in Go's JSON: what is empty is left out.
    if (read !== '' && read !== undefined) value[name] = read;
  }
  return value;
}

function valueOf({ bytes, number }: Field, kind: Kind, before: unknown): unknown {
  switch (kind) {
    case 'text':
      return bytes.toString('utf8');
    case 'base64':
      return bytes.toString('base64');
    case 'number':
      return number;
    case 'flag':
      return number !== 0;
    case 'texts':
      return [...(Array.isArray(before) ? before : []), bytes.toString('utf8')];
    case 'time': {
      const { seconds } = message(bytes, { 1: ['seconds', 'number'] });
      return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : undefined;
    }
    case 'map of text':
    case 'map of base64': {
      const entry = message(bytes, { 1: ['key', 'text'], 2: ['value', kind === 'map of text' ? 'text' : 'base64'] });
      const key = typeof entry['key'] === 'string' ? entry['key'] : '';
      return { ...(typeof before === 'object' ? before : {}), [key]: entry['value'] ?? '' };
    }
    default:
      return message(bytes, kind);
  }
}

function malformed(why: string): StoreError {
  return new StoreError(400, 'BadRequest', `the body is no protobuf of Kubernetes: ${why}`);
}
