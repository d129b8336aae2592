/** What a request asks for, read from its method, path and query. */
import type { IncomingMessage } from 'node:http';
import { type ObjectStore, type ResourceType, StoreError } from '../store.ts';
import { isServed } from './discovery.ts';
import { jsonOfProtobuf } from './protobuf.ts';
import { methodNotAllowed, noSuchResource } from './status.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request on a resource. */
export interface ResourceRequest {
  verb: Verb;
  type: ResourceType;
  namespace?: string;
  name?: string;
  subresource?: 'status' | 'scale' | 'eviction';
  query: URLSearchParams;
  contentType: string;
  body: string;
}

const VERB_OF_METHOD: Record<string, [one: Verb, many: Verb]> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

/** Throws NotFound for a path that no resource lives at, MethodNotAllowed for a verb that it does not have. */
export function parseResourceRequest(store: ObjectStore, message: IncomingMessage, url: URL, body: string): ResourceRequest {
  const segments = url.pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent);
  const [group, version, rest] =
    segments[0] === 'api' ? ['', segments[1], segments.slice(2)] : [segments[1] ?? '', segments[2], segments.slice(3)];
  const { namespace, plural, name, subresource } = readPath(rest);
  const type = plural === undefined ? undefined : store.type(plural, group);
  if (!type || type.version !== version || !isServed(store, type)) throw noSuchResource();
  if (namespace !== undefined && !type.namespaced) throw noSuchResource();
  const known = type.subresources?.find((candidate) => candidate === subresource);
  if (subresource !== undefined && known === undefined) throw noSuchResource();
  return {
    verb: verbOf(message.method ?? 'GET', url.searchParams, name, known),
    type,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(known === undefined ? {} : { subresource: known }),
    query: url.searchParams,
    contentType: (message.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '',
    body,
  };
}

function verbOf(method: string, query: URLSearchParams, name: string | undefined, subresource: string | undefined): Verb {
  const verbs = VERB_OF_METHOD[method];
  if (!verbs) throw methodNotAllowed();
  const verb = verbs[name === undefined ? 1 : 0];
  if (verb === 'list' && isTrue(query.get('watch'))) return 'watch';
  const needsName = verb === 'update' || verb === 'patch';
  if (needsName && name === undefined) throw methodNotAllowed();
  if (verb === 'create' && (name !== undefined) !== (subresource === 'eviction')) throw methodNotAllowed();
  if (verb === 'delete' && subresource !== undefined) throw methodNotAllowed();
  if (verb === 'get' && subresource === 'eviction') throw methodNotAllowed();
  return verb;
}

/** `namespaces/shop/pods/cart-0/eviction`, `nodes/node-1/status`, `namespaces/shop`. */
function readPath(rest: string[]): { namespace?: string; plural?: string; name?: string; subresource?: string } {
  if (rest.length > 5) throw noSuchResource();
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [plural, name, subresource] = inNamespace ? rest.slice(2) : rest;
  return {
    ...(inNamespace && rest[1] !== undefined ? { namespace: rest[1] } : {}),
    ...(plural === undefined ? {} : { plural }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1';
}

const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** The request's body as JSON text. Throws UnsupportedMediaType for protobuf of a kind that the stand-in does not read. */
export async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > BODY_LIMIT_BYTES)
      throw new StoreError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_LIMIT_BYTES}`);
    chunks.push(bytes);
  }
  const body = Buffer.concat(chunks);
  if (message.headers['content-type']?.includes('protobuf') !== true) return body.toString('utf8');
  const json = jsonOfProtobuf(body);
  if (json !== undefined) return json;
  const accepted = 'application/json, application/yaml';
  throw new StoreError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}
