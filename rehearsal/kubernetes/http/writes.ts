/** create, update, patch, delete and eviction, with the API server's own refusals. */
import { type EvictionWorld, evictPod } from '../eviction.ts';
import { badRequest, conflict, invalid, modified, notFound } from '../failures.ts';
import { cloneJson, equalJson, isObject } from '../json.ts';
import { applyPatch, isKubeObject, PATCH_TYPES } from '../patches/apply-patch.ts';
import { type DeleteOptions, type KubeObject, type ResourceType, StoreError } from '../store.ts';
import { apiVersionOf, typeKey } from '../types.ts';
import { isCustom } from './discovery.ts';
import { scaleOf, selected } from './reads.ts';
import type { ResourceRequest } from './request.ts';
import { successStatus } from './status.ts';

export interface Answer {
  code: number;
  body: object;
  /** Name of the object that was made, where the request did not name it. */
  name?: string;
}

/** Does what the request says. Throws StoreError with the reason of the refusal. */
export function write(world: EvictionWorld, request: ResourceRequest): Answer {
  switch (request.verb) {
    case 'create':
      return request.subresource === 'eviction' ? evict(world, request) : create(world, request);
    case 'update':
      return change(world, request, () => readObject(request.body));
    case 'patch':
      return patch(world, request);
    case 'delete':
      return remove(world, request);
    case 'deletecollection':
      return removeAll(world, request);
    default:
      throw badRequest(`${request.verb} is no write`);
  }
}

function create({ store }: EvictionWorld, request: ResourceRequest): Answer {
  const { type, namespace } = request;
  const body = readObject(request.body);
  checkType(type, body);
  if (body.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  if (namespace !== undefined && body.metadata.namespace !== undefined && body.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (type.namespaced) {
    body.metadata.namespace = namespace ?? body.metadata.namespace ?? 'default';
    const home = store.get('namespaces', body.metadata.namespace);
    if (!home) throw notFound({ group: '', plural: 'namespaces' }, body.metadata.namespace);
  }
  if (type.subresources?.includes('status')) delete body.status;
  if (isDryRun(request)) return { code: 201, body };
  const created = store.create(typeKey(type), body);
  return { code: 201, body: created, name: created.metadata.name };
}

function patch(world: EvictionWorld, request: ResourceRequest): Answer {
  const { contentType, body, type, name = '', namespace } = request;
  const exists = world.store.get(typeKey(type), name, namespace) !== undefined;
  if (!exists && contentType === PATCH_TYPES.apply) {
    const applied = applyPatch({
      contentType,
      body,
      current: { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name } },
      customResource: true,
    });
    return create(world, { ...request, verb: 'create', body: JSON.stringify(applied) });
  }
  return change(world, request, (current) => applyPatch({ contentType, body, current, customResource: isCustom(type) }));
}

/** Replaces the part of the object that the request may change by what `next` makes of it. */
function change({ store }: EvictionWorld, request: ResourceRequest, next: (current: KubeObject) => KubeObject): Answer {
  const { type, name = '', namespace, subresource } = request;
  let preview: KubeObject | undefined;
  const apply = (copy: KubeObject) => {
    const before = cloneJson(copy);
    const wanted = next(subresource === 'scale' ? scaleOf(before) : before);
    checkVersions(request, before, wanted);
    if (subresource === 'scale') copy.spec = { ...copy.spec, replicas: wanted.spec?.replicas ?? 0 };
    else if (subresource === 'status') copy.status = wanted.status;
    else replace(copy, wanted, type);
    checkImmutable(type, before, copy);
    preview = copy;
  };
  if (isDryRun(request)) {
    const current = store.get(typeKey(type), name, namespace);
    if (!current) throw notFound(type, name);
    apply(cloneJson(current));
    return { code: 200, body: preview ?? current };
  }
  const updated = store.update(typeKey(type), name, namespace, apply);
  return { code: 200, body: subresource === 'scale' ? scaleOf(updated) : updated };
}

function replace(copy: KubeObject, wanted: KubeObject, type: ResourceType): void {
  checkType(type, wanted);
  const status = copy.status;
  for (const key of Object.keys(copy)) delete copy[key];
  Object.assign(copy, wanted);
  if (!type.subresources?.includes('status')) return;
  if (status === undefined) delete copy.status;
  else copy.status = status;
}

function checkVersions(request: ResourceRequest, current: KubeObject, wanted: KubeObject): void {
  const { type, name = '' } = request;
  const { uid, resourceVersion } = wanted.metadata;
  if (!resourceVersion && request.verb === 'update' && isCustom(type)) {
    throw invalid(type, name, 'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update');
  }
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) throw modified(type, name);
  checkUid(request, uid, current);
  wanted.metadata.namespace ??= current.metadata.namespace;
  if (wanted.metadata.namespace === undefined) delete wanted.metadata.namespace;
}

function checkUid({ type, name = '' }: ResourceRequest, uid: string | undefined, current: KubeObject): void {
  if (uid && uid !== current.metadata.uid) {
    throw conflict(type, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`);
  }
}

const SELECTOR_IS_FIXED = new Set(['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet']);

function checkImmutable(type: ResourceType, before: KubeObject, after: KubeObject): void {
  const { name } = before.metadata;
  if (SELECTOR_IS_FIXED.has(type.kind) && !equalJson(before.spec?.selector, after.spec?.selector)) {
    throw invalid(type, name, `spec.selector: Invalid value: ${JSON.stringify(after.spec?.selector)}: field is immutable`);
  }
  if (type.kind === 'Pod' && before.spec?.nodeName !== after.spec?.nodeName) {
    throw invalid(type, name, 'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`');
  }
}

function remove({ store }: EvictionWorld, request: ResourceRequest): Answer {
  const { type, name = '', namespace } = request;
  const current = store.get(typeKey(type), name, namespace);
  if (!current) throw notFound(type, name);
  const options = readDeleteOptions(request);
  const { uid, resourceVersion } = options.preconditions;
  checkUid(request, uid, current);
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) {
    const found = current.metadata.resourceVersion;
    throw conflict(
      type,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${found}`,
    );
  }
  if (!isDryRun(request)) store.delete(typeKey(type), name, namespace, options.options);
  const left = store.get(typeKey(type), name, namespace);
  if (left && left.metadata.uid === current.metadata.uid) return { code: 200, body: left };
  if (type.kind === 'Pod') return { code: 200, body: current };
  const group = type.group === '' ? {} : { group: type.group };
  const { code: _code, ...success } = successStatus({ name, ...group, kind: type.plural, uid: current.metadata.uid });
  return { code: 200, body: success };
}

function removeAll({ store }: EvictionWorld, request: ResourceRequest): Answer {
  const { type } = request;
  const items = selected(store, request);
  const { options } = readDeleteOptions(request);
  if (!isDryRun(request)) for (const item of items) store.delete(typeKey(type), item.metadata.name, item.metadata.namespace, options);
  const metadata = { resourceVersion: String(store.resourceVersion()) };
  return { code: 200, body: { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items } };
}

function evict(world: EvictionWorld, request: ResourceRequest): Answer {
  const { name = '', namespace = 'default' } = request;
  const body = readObject(request.body);
  if (body.metadata.name && body.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  if (isDryRun(request)) return { code: 201, body: successStatus() };
  const gracePeriodSeconds: unknown = body.deleteOptions?.gracePeriodSeconds;
  const result = evictPod(world, name, namespace, typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {});
  if (!result.ok) throw result.error;
  return { code: 201, body: successStatus() };
}

interface DeleteRequest {
  options: DeleteOptions;
  preconditions: { uid?: string; resourceVersion?: string };
}

/** From the body, or from the query where old clients put them. */
function readDeleteOptions(request: ResourceRequest): DeleteRequest {
  const body = request.body.trim() === '' ? {} : parseJson(request.body);
  const fields = isObject(body) ? body : {};
  const grace = fields.gracePeriodSeconds ?? request.query.get('gracePeriodSeconds') ?? undefined;
  const policy = fields.propagationPolicy ?? request.query.get('propagationPolicy');
  const preconditions = isObject(fields.preconditions) ? fields.preconditions : {};
  return {
    options: {
      ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
      ...(policy === 'Orphan' || policy === 'Foreground' || policy === 'Background' ? { propagationPolicy: policy } : {}),
    },
    preconditions: {
      ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
      ...(typeof preconditions.resourceVersion === 'string' ? { resourceVersion: preconditions.resourceVersion } : {}),
    },
  };
}

function readObject(body: string): KubeObject {
  const value = parseJson(body);
  if (isObject(value) && value.metadata === undefined) value.metadata = {};
  if (!isKubeObject(value)) throw badRequest('the object provided is unrecognized (must be of type map with metadata)');
  return value;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkType(type: ResourceType, body: KubeObject): void {
  if (body.apiVersion && body.apiVersion !== apiVersionOf(type)) {
    throw badRequest(`the API version in the data (${body.apiVersion}) does not match the expected API version (${apiVersionOf(type)})`);
  }
  if (body.kind && body.kind !== type.kind) {
    throw new StoreError(400, 'BadRequest', `${body.kind} in version "${apiVersionOf(type)}" cannot be handled as a ${type.kind}`);
  }
}

function isDryRun(request: ResourceRequest): boolean {
  if (request.query.getAll('dryRun').includes('All')) return true;
  if (request.verb !== 'delete' && request.subresource !== 'eviction') return false;
  const body = request.body.trim() === '' ? {} : parseJson(request.body);
  const options = isObject(body) && isObject(body.deleteOptions) ? body.deleteOptions : body;
  return isObject(options) && Array.isArray(options.dryRun) && options.dryRun.includes('All');
}
