/** create, update and patch, with the API server's own refusals. */
import { randomUUID } from 'node:crypto';
import { applyDefaults, hasGeneration } from '../../defaulting/index.ts';
import type { EvictionWorld } from '../../pods/eviction.ts';
import { badRequest, conflict, fieldError, invalid, modified, notFound, unexpected, unsupportedMediaType } from '../../failures.ts';
import { cloneJson } from '../../json.ts';
import { kubeTime } from '../../pods/pods.ts';
import { noteCreated, noteUpdated } from '../../managed-fields/index.ts';
import { appliedBy, applyPatch, checkPatchType, PATCH_TYPES } from '../../patches/apply-patch.ts';
import type { FieldWriter, KubeObject, ResourceType } from '../../store.ts';
import { apiVersionOf, typeKey } from '../../types.ts';
import { admitCreate, admitHome, admitUpdate } from '../../validation/admission.ts';
import { checkCreate, checkUpdate } from '../../validation/check.ts';
import { conform, readObject } from './bodies.ts';
import { evict, remove, removeAll } from './deletes.ts';
import { isCustom } from '../views/discovery.ts';
import { checkDryRun, isDryRun } from './dry-run.ts';
import { fieldWriter } from './field-writer.ts';
import type { ResourceRequest } from '../request.ts';
import { applyScale, scaleOf } from './scale.ts';
import { noSuchResource } from '../status.ts';
import type { WatchHistory } from './watch-history.ts';
import type { Answer } from '../answer.ts';

/** Does what the request says. Throws StoreError with the reason of the refusal. */
export function write(world: EvictionWorld, request: ResourceRequest, history: WatchHistory): Answer {
  checkDryRun(request);
  switch (request.verb) {
    case 'create':
      if (request.subresource === 'eviction') return evict(world, request);
      checkContentType(request);
      return create(world, request, readObject(request));
    case 'update':
      checkContentType(request);
      return update(world, request);
    case 'patch':
      return patch(world, request);
    case 'delete':
      return remove(world, request);
    case 'deletecollection':
      return removeAll(world, request, history);
    default:
      throw noSuchResource();
  }
}

const BODIES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

function checkContentType({ contentType, type }: ResourceRequest): void {
  const accepted = isCustom(type) ? BODIES.slice(0, 2) : BODIES;
  if (contentType !== '' && !BODIES.includes(contentType)) throw unsupportedMediaType(accepted);
}

function create({ store, clock }: EvictionWorld, request: ResourceRequest, body: KubeObject, writer = fieldWriter(request)): Answer {
  const { type, namespace } = request;
  if (namespace !== undefined && body.metadata.namespace && body.metadata.namespace !== namespace) throw wrongNamespace();
  conform(body, request);
  if (type.namespaced) body.metadata.namespace = namespace ?? 'default';
  if (type.subresources?.includes('status') && type.plural !== 'nodes') delete body.status;
  if (body.metadata.resourceVersion) throw unexpected('resourceVersion should not be set on objects to be created');
  admitHome(store, type, body);
  admitCreate(type, body);
  checkCreate(store, request, body);
  if (isDryRun(request)) return { code: 201, body: dryCreate(type, body, clock.now().getTime(), writer) };
  const created = store.create(typeKey(type), request.conversion.stored(body), writer);
  return { code: 201, body: request.conversion.shown(created), name: created.metadata.name };
}

function dryCreate(type: ResourceType, body: KubeObject, nowMs: number, writer: FieldWriter): KubeObject {
  const made = cloneJson(body);
  made.metadata = { ...made.metadata, uid: randomUUID(), creationTimestamp: kubeTime(nowMs) };
  if (hasGeneration(type.plural)) made.metadata.generation = 1;
  applyDefaults(type.plural, made, nowMs);
  noteCreated(type, made, body, nowMs, writer);
  return made;
}

function wrongNamespace(): Error {
  return badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function update(world: EvictionWorld, request: ResourceRequest): Answer {
  const { type, name = '', namespace } = request;
  if (request.subresource === 'scale') return change(world, request, () => scaleBody(request));
  const body = readObject(request);
  if (body.metadata.name && body.metadata.name !== name) throw wrongName(body.metadata.name, name);
  body.metadata.name = name;
  if (namespace !== undefined && body.metadata.namespace && body.metadata.namespace !== namespace) throw wrongNamespace();
  return change(world, request, (current) => {
    const { uid, resourceVersion } = body.metadata;
    if (uid && uid !== current.metadata.uid) throw wrongUid(type, current, uid);
    if (!resourceVersion && isCustom(type)) {
      const why = fieldError.invalid('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalid({ group: type.group, kind: type.plural }, name, why);
    }
    return body;
  });
}

function scaleBody(request: ResourceRequest): KubeObject {
  return readObject({ ...request, type: { group: 'autoscaling', version: 'v1', plural: 'scales', kind: 'Scale', namespaced: true } });
}

function wrongName(found: string, name: string): Error {
  return badRequest(`the name of the object (${found}) does not match the name on the URL (${name})`);
}

function wrongUid(type: ResourceType, current: KubeObject, uid: string): Error {
  const { namespace, name } = current.metadata;
  const key = [
    '/registry',
    ...(type.group === '' || !isCustom(type) ? [] : [type.group]),
    type.plural,
    ...(namespace ? [namespace] : []),
    name,
  ];
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
  return conflict(
    type,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

function patch(world: EvictionWorld, request: ResourceRequest): Answer {
  const { contentType, body, type, name = '', namespace } = request;
  const customResource = isCustom(type) || request.subresource === 'scale';
  checkPatchType(contentType, isCustom(type));
  const exists = world.store.get(typeKey(type), name, namespace) !== undefined;
  if (!exists && contentType === PATCH_TYPES.apply) {
    const empty = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name } };
    const object = applyPatch({ contentType, body, current: empty, customResource: true });
    return create(world, { ...request, verb: 'create' }, object, fieldWriter(request, appliedBy(request)));
  }
  return change(world, request, (current) => {
    const patched = applyPatch({ contentType, body, current, customResource });
    if (patched.metadata.name !== name) throw wrongName(patched.metadata.name, name);
    return patched;
  });
}

/** Replaces the part of the object that the request may change by what `next` makes of it. */
function change({ store, clock }: EvictionWorld, request: ResourceRequest, next: (current: KubeObject) => KubeObject): Answer {
  const { type, name = '', namespace, subresource, conversion } = request;
  const writer = fieldWriter(request, appliedBy(request));
  let preview: KubeObject | undefined;
  const apply = (copy: KubeObject) => {
    const before = cloneJson(conversion.shown(copy));
    const wanted = next(subresource === 'scale' ? scaleOf(before, request) : cloneJson(before));
    const { resourceVersion } = wanted.metadata;
    if (resourceVersion && resourceVersion !== before.metadata.resourceVersion) throw modified(type, name);
    if (subresource === 'scale') return applyScale(copy, wanted, request);
    replace(copy, wanted, before, request);
    request.alsoChange?.(copy);
    if (subresource === undefined) {
      applyDefaults(type.plural, copy, clock.now().getTime());
      admitUpdate(type, before, copy);
    }
    checkUpdate(request, before, copy);
    const kept = { ...conversion.stored(copy) };
    for (const key of Object.keys(copy)) delete copy[key];
    preview = Object.assign(copy, kept);
  };
  const current = store.get(typeKey(type), name, namespace);
  if (!current) throw notFound(type, name);
  if (isDryRun(request)) {
    apply(cloneJson(current));
    if (preview !== undefined) noteUpdated(type, current, preview, clock.now().getTime(), writer);
    return { code: 200, body: conversion.shown(preview ?? current) };
  }
  const updated = store.update(typeKey(type), name, namespace, apply, writer);
  return { code: 200, body: subresource === 'scale' ? scaleOf(updated, request) : conversion.shown(updated) };
}

/** The status belongs to its subresource, everything else to the object itself; labels and the like to both. */
function replace(copy: KubeObject, wanted: KubeObject, before: KubeObject, request: ResourceRequest): void {
  const { type, subresource } = request;
  const { namespace } = before.metadata;
  wanted.metadata.namespace ??= namespace;
  if (wanted.metadata.namespace === undefined) delete wanted.metadata.namespace;
  conform(wanted, request);
  const kept: KubeObject = subresource === 'status' ? { ...before, status: wanted.status } : { ...wanted, status: before.status };
  kept.metadata = subresource === 'status' && isCustom(type) ? before.metadata : wanted.metadata;
  const result = type.subresources?.includes('status') ? kept : wanted;
  for (const key of Object.keys(copy)) delete copy[key];
  Object.assign(copy, result);
  if (copy.status === undefined) delete copy.status;
}
