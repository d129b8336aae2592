/** delete, deletecollection and eviction. */
import { isFree, markEnding } from '../../deletion.ts';
import { type EvictionWorld, evictPod } from '../../pods/eviction.ts';
import { badRequest, conflict, fieldError, invalid, notFound } from '../../failures.ts';
import { cloneJson, isObject } from '../../json.ts';
import { kubeTime } from '../../pods/pods.ts';
import type { DeleteOptions, KubeObject, ResourceType } from '../../store.ts';
import { apiVersionOf, typeKey } from '../../types.ts';
import { admitDelete } from '../../validation/admission.ts';
import { isDryRun } from './dry-run.ts';
import { parseOr400 } from '../views/go-json.ts';
import { inList, selected } from './reads.ts';
import type { ResourceRequest } from '../request.ts';
import { successStatus } from '../status.ts';
import type { WatchHistory } from './watch-history.ts';
import type { Answer } from '../answer.ts';

export function remove({ store, clock }: EvictionWorld, request: ResourceRequest): Answer {
  const { type, name = '', namespace } = request;
  const current = store.get(typeKey(type), name, namespace);
  if (!current) throw notFound(type, name);
  const { options, preconditions } = readDeleteOptions(request);
  checkPreconditions(type, current, preconditions);
  admitDelete(type, name);
  const dry = isDryRun(request);
  if (!dry) store.delete(typeKey(type), name, namespace, options);
  const left = dry ? endingOf(type, current, options, clock.now().getTime()) : store.get(typeKey(type), name, namespace);
  if (left && left.metadata.uid === current.metadata.uid) return { code: 200, body: request.conversion.shown(left) };
  // Pods are answered whole even when they are gone at once.
  if (type.kind === 'Pod') return { code: 200, body: ended(current, kubeTime(clock.now().getTime())) };
  return gone(type, current);
}

/** What a deletion would leave of an object, where it would leave something. */
function endingOf(type: ResourceType, current: KubeObject, options: DeleteOptions, nowMs: number): KubeObject | undefined {
  const copy = cloneJson(current);
  markEnding(type, copy, options, nowMs);
  return isFree(type, copy) ? undefined : copy;
}

function ended(pod: KubeObject, at: string): KubeObject {
  const { metadata } = pod;
  const generation = metadata.generation === undefined || metadata.deletionTimestamp ? metadata.generation : metadata.generation + 1;
  return { ...pod, metadata: { ...metadata, generation, deletionTimestamp: at, deletionGracePeriodSeconds: 0 } };
}

function gone(type: ResourceType, { metadata: { name, uid } }: KubeObject): Answer {
  const group = type.group === '' ? {} : { group: type.group };
  return { code: 200, body: successStatus({ name, ...group, kind: type.plural, uid }) };
}

export function removeAll({ store }: EvictionWorld, request: ResourceRequest, history: WatchHistory): Answer {
  const { type } = request;
  const items = selected(request, history);
  const { options } = readDeleteOptions(request);
  if (!isDryRun(request)) for (const item of items) store.delete(typeKey(type), item.metadata.name, item.metadata.namespace, options);
  const metadata = { resourceVersion: String(store.resourceVersion()) };
  const list = { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata };
  return { code: 200, body: { ...list, items: request.conversion.all(items).map((item) => inList(item, type)) } };
}

export function evict(world: EvictionWorld, request: ResourceRequest): Answer {
  const { name = '', namespace = 'default' } = request;
  const value = request.body.trim() === '' ? {} : parseOr400(request.body);
  const body = isObject(value) ? value : {};
  const metadata = isObject(body.metadata) ? body.metadata : {};
  if (metadata.name && metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  const options = isObject(body.deleteOptions) ? body.deleteOptions : {};
  const grace = options.gracePeriodSeconds;
  const result = evictPod(world, name, namespace, {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(isDryRun(request) ? { dryRun: true } : {}),
  });
  if (!result.ok) throw result.error;
  return { code: 201, body: successStatus() };
}

interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

function checkPreconditions(type: ResourceType, { metadata }: KubeObject, { uid, resourceVersion }: Preconditions): void {
  // Here, and only here, the kind stands where the plural is meant.
  const kind = { group: type.group, plural: type.kind };
  if (uid && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(kind, metadata.name, why);
  }
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(kind, metadata.name, why);
  }
}

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

/** From the body, or from the query where old clients put them. */
function readDeleteOptions(request: ResourceRequest): { options: DeleteOptions; preconditions: Preconditions } {
  const body = request.body.trim() === '' ? {} : parseOr400(request.body);
  const fields = isObject(body) ? body : {};
  const grace = fields.gracePeriodSeconds ?? request.query.get('gracePeriodSeconds') ?? undefined;
  const wanted = fields.propagationPolicy ?? request.query.get('propagationPolicy') ?? undefined;
  const policy = POLICIES.find((known) => known === wanted);
  if (wanted !== undefined && policy === undefined) {
    const why = fieldError.unsupported('propagationPolicy', wanted, [...POLICIES, 'nil']);
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', why);
  }
  const preconditions = isObject(fields.preconditions) ? fields.preconditions : {};
  const { uid, resourceVersion } = preconditions;
  return {
    options: {
      // A negative grace period counts as one second.
      ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) < 0 ? 1 : Number(grace) }),
      ...(policy === undefined ? {} : { propagationPolicy: policy }),
    },
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
  };
}
