/** get and list, with selectors and paging. */
import { badRequest, notFound } from '../failures.ts';
import { type ObjectFilter, parseFieldSelector, parseLabelSelector } from '../selectors.ts';
import type { KubeObject, ObjectStore, ResourceType } from '../store.ts';
import { apiVersionOf, typeKey } from '../types.ts';
import type { ResourceRequest } from './request.ts';
import { gone } from './status.ts';

/** The one object that the request names. Throws NotFound. */
export function readOne(store: ObjectStore, request: ResourceRequest): KubeObject {
  const { type, name = '', namespace } = request;
  const object = store.get(typeKey(type), name, namespace);
  if (!object) throw notFound(type, name);
  return request.subresource === 'scale' ? scaleOf(object) : object;
}

/** `kind: NodePoolList` with the page that the request asks for. */
export function readList(store: ObjectStore, request: ResourceRequest, oldestVersion: number): { list: KubeList; items: KubeObject[] } {
  const { type, query } = request;
  const sorted = selected(store, request).sort(byKey);
  const limit = Number(query.get('limit') ?? 0);
  const token = query.get('continue');
  const from = token ? readContinue(token, oldestVersion) : undefined;
  const rest = from ? sorted.filter((object) => keyOf(object) > from.lastKey) : sorted;
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const version = from?.resourceVersion ?? store.resourceVersion();
  const last = page.at(-1);
  const more = page.length < rest.length && last !== undefined;
  return {
    items: page,
    list: {
      kind: `${type.kind}List`,
      apiVersion: apiVersionOf(type),
      metadata: {
        resourceVersion: String(version),
        ...(more
          ? { continue: writeContinue({ resourceVersion: version, lastKey: keyOf(last) }), remainingItemCount: rest.length - page.length }
          : {}),
      },
    },
  };
}

export interface KubeList {
  kind: string;
  apiVersion: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** All objects that the request's namespace and selectors let through. */
export function selected(store: ObjectStore, request: ResourceRequest): KubeObject[] {
  const { type, namespace } = request;
  const filter = filterOf(type, request);
  return store.list(typeKey(type), namespace === undefined ? {} : { namespace }).filter(filter);
}

/** The selectors of a request as one predicate; the namespace counts too. */
export function filterOf(type: ResourceType, request: Pick<ResourceRequest, 'query' | 'namespace'>): ObjectFilter {
  const labels = request.query.get('labelSelector');
  const fields = request.query.get('fieldSelector');
  const byLabels = labels ? parseLabelSelector(labels) : undefined;
  const byFields = fields ? parseFieldSelector(type.plural, fields) : undefined;
  return (object) =>
    (request.namespace === undefined || object.metadata.namespace === request.namespace) &&
    (byLabels?.(object) ?? true) &&
    (byFields?.(object) ?? true);
}

/** The Scale of a workload. */
export function scaleOf(object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = Object.entries(object.spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: { replicas: object.spec?.replicas ?? 0 },
    status: { replicas: object.status?.replicas ?? 0, selector: selector.join(',') },
  };
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function byKey(left: KubeObject, right: KubeObject): number {
  return keyOf(left) < keyOf(right) ? -1 : 1;
}

function writeContinue(place: { resourceVersion: number; lastKey: string }): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: place.resourceVersion, start: place.lastKey })).toString('base64url');
}

function readContinue(token: string, oldestVersion: number): { resourceVersion: number; lastKey: string } {
  let rv: unknown;
  let start: unknown;
  try {
    ({ rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')));
  } catch {
    throw badRequest('continue key is not valid: encoded continue token is not valid');
  }
  if (typeof rv !== 'number' || typeof start !== 'string') throw badRequest('continue key is not valid: incorrect encoded token');
  if (rv < oldestVersion) {
    throw gone(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results.',
    );
  }
  return { resourceVersion: rv, lastKey: start };
}
