/** A request on a resource that is served. */
import type { IncomingMessage } from 'node:http';
import { unsupportedMediaType } from '../failures.ts';
import { type CustomVersion, versionOf } from '../schemas/schema.ts';
import { type KubeObject, type ObjectStore, type ResourceType, StoreError } from '../store.ts';
import { typeKey } from '../types.ts';
import { type Conversion, conversionOf, type Hubs, shownAll } from './requests/conversion.ts';
import { isCustom, isServed, servesVersion } from './views/discovery.ts';
import { jsonOfProtobuf } from './views/protobuf.ts';
import type { RequestInfo } from './request-info.ts';
import { methodNotAllowed, noSuchResource, PageNotFound } from './status.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request on a resource. */
export interface ResourceRequest {
  verb: Verb;
  /** With the version of the request. */
  type: ResourceType;
  namespace?: string;
  name?: string;
  subresource?: 'status' | 'scale' | 'eviction';
  query: URLSearchParams;
  contentType: string;
  userAgent: string;
  body: string;
  /** Of a custom type that a definition declares. */
  custom?: CustomVersion;
  /** Between the request's version and what is stored. */
  conversion: Conversion & { all: (objects: readonly KubeObject[]) => KubeObject[] };
  /** The server's minor: "1.34". */
  serverVersion: string;
  /** Warnings for the client, sent as headers. */
  warnings: string[];
  /** What an admission webhook changes beside what the request says. */
  alsoChange?: (object: KubeObject) => void;
}

const VERBS = new Set<string>(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']);

/** Throws NotFound for a path that no resource lives at, MethodNotAllowed for a verb that it does not have. */
export function resourceRequest(
  { store, hubs }: { store: ObjectStore; hubs: Hubs },
  info: RequestInfo,
  sent: Pick<ResourceRequest, 'query' | 'contentType' | 'userAgent' | 'body' | 'serverVersion'>,
): ResourceRequest {
  const wanted = info.resource;
  if (!wanted) throw new PageNotFound();
  const { plural, group, version, name, subresource } = wanted;
  const known = store.type(plural, group);
  const served = known && isServed(store, known);
  const definition = served && isCustom(known) ? definitionOf(store, known) : undefined;
  if (!known || !served || !servesVersion({ store, serverVersion: sent.serverVersion }, known, version))
    throw absent(store, group, version);
  const custom = versionOf(definition?.spec?.versions, version);
  const type = version === known.version ? known : { ...known, version };
  const namespace = plural === 'namespaces' ? undefined : wanted.namespace;
  if (namespace !== undefined && !type.namespaced) throw noSuchResource();
  const part = type.subresources?.find((candidate) => candidate === subresource);
  if (subresource !== undefined && part === undefined) throw noSuchResource();
  const request: ResourceRequest = {
    verb: verbOf(wanted.verb, name, part),
    type,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(part === undefined ? {} : { subresource: part }),
    ...(custom === undefined ? {} : { custom }),
    conversion: conversionIn(store, type, definition, hubs),
    ...sent,
    warnings: [],
  };
  if (type.namespaced && namespace === undefined && !['list', 'watch'].includes(request.verb)) throw methodNotAllowed();
  return request;
}

function conversionIn(
  store: ObjectStore,
  type: ResourceType,
  definition: KubeObject | undefined,
  hubs: Hubs,
): ResourceRequest['conversion'] {
  const conversion = conversionOf(store, type, definition, hubs[typeKey(type)]);
  return { ...conversion, all: (objects) => shownAll(objects, type, conversion, definition) };
}

export function definitionOf(store: ObjectStore, type: ResourceType): KubeObject | undefined {
  return store.get('customresourcedefinitions', typeKey(type));
}

/** In a group version with built-in types a resource is missing; otherwise the page is. */
function absent(store: ObjectStore, group: string, version: string): Error {
  const here = store.types().filter((type) => type.group === group && !isCustom(type));
  return here.length > 0 && version !== '' ? noSuchResource() : new PageNotFound();
}

function verbOf(verb: string, name: string | undefined, subresource: string | undefined): Verb {
  if (!isVerb(verb)) throw methodNotAllowed();
  if ((verb === 'update' || verb === 'patch') && name === undefined) throw methodNotAllowed();
  if (verb === 'create' && (name !== undefined) !== (subresource === 'eviction')) throw methodNotAllowed();
  if (verb === 'delete' && subresource !== undefined) throw methodNotAllowed();
  if (verb === 'get' && subresource === 'eviction') throw methodNotAllowed();
  return verb;
}

function isVerb(verb: string): verb is Verb {
  return VERBS.has(verb);
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
  if (json === undefined) throw unsupportedMediaType(['application/json', 'application/yaml']);
  return json;
}
