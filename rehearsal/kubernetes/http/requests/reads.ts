/** get and list, with selectors and paging. */
import { badRequest, notFound } from '../../failures.ts';
import { nodeAsked, type ObjectFilter, parseFieldSelector, parseLabelSelector } from '../../selectors.ts';
import { type KubeObject, type ObjectStore, type ResourceType, StoreError } from '../../store.ts';
import { apiVersionOf, typeKey } from '../../types.ts';
import { checkListOptions } from './list-options.ts';
import { placeOf } from '../object-index.ts';
import type { ResourceRequest } from '../request.ts';
import { scaleOf } from './scale.ts';
import { failureStatus, gone } from '../status.ts';
import type { WatchHistory } from './watch-history.ts';

/** The one object that the request names. Throws NotFound. */
export function readOne(store: ObjectStore, request: ResourceRequest): KubeObject {
  const { type, name = '', namespace } = request;
  const object = store.get(typeKey(type), name, namespace);
  if (!object) throw notFound(type, name);
  return request.subresource === 'scale' ? scaleOf(object, request) : request.conversion.shown(object);
}

export interface KubeList {
  kind: string;
  apiVersion: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/**
 * The page that the request asks for, of the cluster as it was when the first page was read. Costs what the page is long, and what a
 * selector leaves out, but for the pods of a node.
 */
export function readList(store: ObjectStore, request: ResourceRequest, history: WatchHistory): { list: KubeList; items: KubeObject[] } {
  const { type, query, namespace } = request;
  checkListOptions(query, false, request.serverVersion);
  const filter = filterOf(type, request);
  const limit = Number(query.get('limit') ?? 0);
  const token = query.get('continue');
  const from = token ? readContinue(token, history, namespace) : undefined;
  const resourceVersion = from?.resourceVersion ?? store.resourceVersion();
  const items: KubeObject[] = [];
  let more = false;
  const candidates = from === undefined ? onNode(store, request) : undefined;
  for (const object of candidates ?? history.objects(type, namespace, from?.place, from?.resourceVersion)) {
    if (!filter(object)) continue;
    more = limit > 0 && items.length === limit;
    if (more) break;
    items.push(object);
  }
  const last = items.at(-1);
  const selects = query.get('labelSelector') || query.get('fieldSelector');
  const remaining = selects || !last ? undefined : history.index.count(type, namespace, placeOf(last));
  return {
    items,
    list: {
      kind: `${type.kind}List`,
      apiVersion: apiVersionOf(type),
      metadata: {
        resourceVersion: String(resourceVersion),
        ...(more && last
          ? {
              continue: writeContinue(resourceVersion, placeOf(last), namespace),
              ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
            }
          : {}),
      },
    },
  };
}

/** The pods of the one node that a list asks for, in the order of their keys: a drain of each of 5,000 nodes asks so. undefined: of no one node. */
function onNode(store: ObjectStore, { type, query }: ResourceRequest): KubeObject[] | undefined {
  const node = typeKey(type) === 'pods.' ? nodeAsked(query.get('fieldSelector') ?? '') : undefined;
  if (node === undefined) return undefined;
  return store.podsOn(node).sort((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1));
}

/** Items of built-in lists have no kind of their own, those of custom types have. */
export function inList(shown: KubeObject, type: ResourceType): KubeObject {
  if (!isBuiltIn(type)) return shown;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = shown;
  return rest as KubeObject;
}

function isBuiltIn(type: ResourceType): boolean {
  return type.group === '' || !type.group.includes('.') || type.group.endsWith('.k8s.io');
}

/** All objects that the request's namespace and selectors let through. */
export function selected(request: ResourceRequest, history: WatchHistory): KubeObject[] {
  const filter = filterOf(request.type, request);
  return [...history.objects(request.type, request.namespace)].filter(filter);
}

/** The selectors of a request as one predicate; the namespace counts too. */
export function filterOf(type: ResourceType, request: Pick<ResourceRequest, 'query' | 'namespace' | 'name'>): ObjectFilter {
  const labels = request.query.get('labelSelector');
  const fields = request.query.get('fieldSelector');
  const byLabels = labels ? parseLabelSelector(labels) : undefined;
  const byFields = fields ? parseFieldSelector(type.plural, fields) : undefined;
  return (object) =>
    (request.namespace === undefined || object.metadata.namespace === request.namespace) &&
    (request.name === undefined || object.metadata.name === request.name) &&
    (byLabels?.(object) ?? true) &&
    (byFields?.(object) ?? true);
}

/** As the real token: version, and the key after which the next page begins. */
function writeContinue(resourceVersion: number, place: string, namespace: string | undefined): string {
  const start = `/${namespace === undefined ? place : place.slice(namespace.length + 1)}\0`;
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: resourceVersion, start })).toString('base64url');
}

function readContinue(token: string, history: WatchHistory, namespace: string | undefined): { resourceVersion: number; place: string } {
  const invalid = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const text = Buffer.from(token, 'base64url').toString('latin1');
  let value: { rv?: unknown; start?: unknown };
  try {
    value = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
  } catch {
    throw invalid(`invalid character ${goCharacter(text[0] ?? '')} looking for beginning of value`);
  }
  const { rv, start } = value;
  if (typeof rv !== 'number' || typeof start !== 'string') throw invalid('incorrect encoded start key (version meta.k8s.io/v1)');
  const rest = start.replace(/^\//, '').replace(/\0$/, '');
  const place = namespace === undefined ? rest : `${namespace}/${rest}`;
  if (rv >= 0 && rv < history.floor) throw tooOld(writeContinue(-1, place, namespace));
  return { resourceVersion: rv < 0 ? 0 : rv, place };
}

function goCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code >= 0x7f || code < 0x20 ? `'\\u${code.toString(16).padStart(4, '0')}'` : `'${character}'`;
}

/** 410, with a token that goes on from there in the cluster as it is now. */
class TooOldContinue extends StoreError {
  readonly next: string;
  constructor(next: string) {
    const { message } = gone(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    );
    super(410, 'Expired', message);
    this.next = next;
  }
}

function tooOld(next: string): StoreError {
  return new TooOldContinue(next);
}

/** The Status of a refusal of a read: where the token was too old, its metadata has the next one. */
export function readFailure(error: unknown): ReturnType<typeof failureStatus> {
  const status = failureStatus(error);
  return error instanceof TooOldContinue ? { ...status, metadata: { continue: error.next } as never } : status;
}
