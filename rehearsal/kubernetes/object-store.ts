/** The twin's object store: resource versions, generations, finalizers, graceful pod deletion, garbage collection and watch events, in memory. */
import { randomUUID } from 'node:crypto';
import { applyDefaults, hasGeneration } from './defaults.ts';
import { alreadyExists, badRequest, invalid, notFound } from './failures.ts';
import { cloneJson, equalJson } from './json.ts';
import { nameSuffix } from './names.ts';
import type { DeleteOptions, KubeObject, ObjectStore, ResourceType } from './store.ts';
import { StoreError } from './store.ts';
import { apiVersionOf, BUILT_IN_TYPES, CUSTOM_TYPES, typeFromDefinition } from './types.ts';

/** Changes a pod that is about to be created, as a mutating webhook would. */
export type PodAdmission = (pod: KubeObject, store: ObjectStore) => void;

export interface ObjectStoreOptions {
  /** World time. */
  now: () => Date;
  /** Called in order on each pod that is created. The array may grow later: Istio's injector registers itself here. */
  admission?: PodAdmission[];
}

type Listener = Parameters<ObjectStore['watch']>[0];
type StoreEvent = Parameters<Listener>[0];

/** All objects of one type. */
interface Shelf {
  type: ResourceType;
  byKey: Map<string, KubeObject>;
  byNamespace: Map<string, Map<string, KubeObject>>;
}

const FIRST_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** An empty store with the namespaces that every cluster has. Types are named by plural, or by "plural.group" where a plural is not unique. */
export function createObjectStore(options: ObjectStoreOptions): ObjectStore {
  return new MemoryStore(options);
}

class MemoryStore implements ObjectStore {
  readonly #now: () => Date;
  readonly #admission: PodAdmission[];
  readonly #shelves = new Map<string, Shelf>();
  readonly #listeners = new Set<Listener>();
  /** Uid of an owner → what it owns. */
  readonly #dependents = new Map<string, Map<string, { shelf: Shelf; name: string; namespace: string | undefined }>>();
  readonly #pending: StoreEvent[] = [];
  #emitting = false;
  #version = 1000;
  #types: readonly ResourceType[] | undefined;

  constructor(options: ObjectStoreOptions) {
    this.#now = options.now;
    this.#admission = options.admission ?? [];
    for (const type of [...BUILT_IN_TYPES, ...CUSTOM_TYPES]) this.#register(type);
    for (const name of FIRST_NAMESPACES) this.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  types(): readonly ResourceType[] {
    this.#types ??= [...new Set([...this.#shelves.values()].map((shelf) => shelf.type))];
    return this.#types;
  }

  type(plural: string, group?: string): ResourceType | undefined {
    if (group === undefined) return this.#shelves.get(plural)?.type;
    return this.#shelves.get(`${plural}.${group}`)?.type;
  }

  resourceVersion(): number {
    return this.#version;
  }

  get(plural: string, name: string, namespace?: string): KubeObject | undefined {
    return this.#shelf(plural).byKey.get(keyOf(name, namespace));
  }

  list(plural: string, where: { namespace?: string; labels?: Record<string, string> } = {}): KubeObject[] {
    const shelf = this.#shelf(plural);
    const objects = where.namespace === undefined ? shelf.byKey.values() : (shelf.byNamespace.get(where.namespace)?.values() ?? []);
    if (!where.labels) return [...objects];
    const wanted = Object.entries(where.labels);
    return [...objects].filter((object) => wanted.every(([key, value]) => object.metadata.labels?.[key] === value));
  }

  create(plural: string, object: KubeObject): KubeObject {
    const shelf = this.#shelf(plural);
    const { type } = shelf;
    const copy = cloneJson(object);
    copy.apiVersion ||= apiVersionOf(type);
    copy.kind ||= type.kind;
    copy.metadata ??= { name: '' };
    const { metadata } = copy;
    if (!metadata.name && typeof metadata.generateName === 'string') metadata.name = metadata.generateName + nameSuffix(this.#version + 1);
    if (!metadata.name) throw invalid(type, '', 'metadata.name: Required value: name or generateName is required');
    if (type.namespaced && !metadata.namespace) metadata.namespace = 'default';
    if (!type.namespaced) delete metadata.namespace;
    if (shelf.byKey.has(keyOf(metadata.name, metadata.namespace))) throw alreadyExists(type, metadata.name);
    metadata.uid = randomUUID();
    metadata.creationTimestamp = this.#timestamp();
    delete metadata.deletionTimestamp;
    if (hasGeneration(type.plural)) metadata.generation = 1;
    applyDefaults(type.plural, copy);
    if (type.plural === 'pods' && type.group === '') for (const admit of this.#admission) admit(copy, this);
    this.#put(shelf, copy, 'ADDED');
    if (type.plural === 'customresourcedefinitions') this.#registerDefinition(copy);
    return this.#shelf(plural).byKey.get(keyOf(metadata.name, metadata.namespace)) ?? copy;
  }

  update(plural: string, name: string, namespace: string | undefined, change: (copy: KubeObject) => void): KubeObject {
    const shelf = this.#shelf(plural);
    const current = shelf.byKey.get(keyOf(name, namespace));
    if (!current) throw notFound(shelf.type, name);
    const copy = cloneJson(current);
    change(copy);
    const { metadata } = copy;
    if (metadata.name !== current.metadata.name || metadata.namespace !== current.metadata.namespace) {
      throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
    }
    metadata.uid = current.metadata.uid;
    metadata.creationTimestamp = current.metadata.creationTimestamp;
    metadata.resourceVersion = current.metadata.resourceVersion;
    keepOrDrop(metadata, current.metadata, 'generation');
    keepOrDrop(metadata, current.metadata, 'deletionTimestamp');
    if (metadata.finalizers?.length === 0) delete metadata.finalizers;
    if (equalJson(copy, current)) return current;
    if (metadata.generation !== undefined && !equalJson(desired(copy), desired(current))) metadata.generation += 1;
    if (metadata.deletionTimestamp && !metadata.finalizers && metadata.deletionGracePeriodSeconds === undefined) {
      this.#index(shelf, current, copy);
      this.#remove(shelf, copy);
      return copy;
    }
    this.#put(shelf, copy, 'MODIFIED', current);
    if (shelf.type.plural === 'customresourcedefinitions') this.#registerDefinition(copy);
    return copy;
  }

  delete(plural: string, name: string, namespace?: string, options: DeleteOptions = {}): void {
    const shelf = this.#shelf(plural);
    const current = shelf.byKey.get(keyOf(name, namespace));
    if (!current) throw notFound(shelf.type, name);
    const graceSeconds = this.#graceSeconds(shelf, current, options);
    if (options.propagationPolicy === 'Orphan') this.#orphan(current);
    if (!current.metadata.finalizers && graceSeconds === 0) return this.#remove(shelf, cloneJson(current));
    const alreadyEnding = current.metadata.deletionTimestamp !== undefined;
    if (alreadyEnding && graceSeconds > 0) return;
    if (alreadyEnding && current.metadata.deletionGracePeriodSeconds === undefined) return;
    const copy = cloneJson(current);
    copy.metadata.deletionTimestamp = this.#timestamp(graceSeconds * 1000);
    if (graceSeconds > 0) copy.metadata.deletionGracePeriodSeconds = graceSeconds;
    else delete copy.metadata.deletionGracePeriodSeconds;
    if (shelf.type.plural === 'namespaces') copy.status = { ...copy.status, phase: 'Terminating' };
    this.#put(shelf, copy, 'MODIFIED', current);
  }

  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #shelf(plural: string): Shelf {
    const shelf = this.#shelves.get(plural);
    if (!shelf) throw new StoreError(404, 'NotFound', 'the server could not find the requested resource');
    return shelf;
  }

  #register(type: ResourceType): void {
    const known = this.#shelves.get(qualifiedGroupName(type));
    if (known) {
      if (equalJson(known.type, type)) return;
      known.type = type;
    } else {
      const shelf: Shelf = { type, byKey: new Map(), byNamespace: new Map() };
      this.#shelves.set(qualifiedGroupName(type), shelf);
      if (!this.#shelves.has(type.plural)) this.#shelves.set(type.plural, shelf);
    }
    this.#types = undefined;
  }

  #registerDefinition(definition: KubeObject): void {
    const type = typeFromDefinition(definition);
    if (type) this.#register(type);
  }

  #graceSeconds(shelf: Shelf, object: KubeObject, options: DeleteOptions): number {
    if (shelf.type.plural !== 'pods' || !object.spec?.nodeName) return 0;
    if (object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed') return 0;
    return options.gracePeriodSeconds ?? object.spec.terminationGracePeriodSeconds ?? 30;
  }

  #put(shelf: Shelf, object: KubeObject, event: 'ADDED' | 'MODIFIED', previous?: KubeObject): void {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    shelf.byKey.set(keyOf(object.metadata.name, object.metadata.namespace), object);
    const namespace = object.metadata.namespace;
    if (namespace !== undefined) {
      const names = shelf.byNamespace.get(namespace) ?? new Map<string, KubeObject>();
      names.set(object.metadata.name, object);
      shelf.byNamespace.set(namespace, names);
    }
    this.#index(shelf, previous, object);
    this.#emit({ type: event, object, plural: shelf.type.plural, resourceVersion: this.#version });
  }

  /** Takes the object away, then what it owned. */
  #remove(shelf: Shelf, object: KubeObject): void {
    const { name, namespace, uid } = object.metadata;
    shelf.byKey.delete(keyOf(name, namespace));
    if (namespace !== undefined) shelf.byNamespace.get(namespace)?.delete(name);
    this.#index(shelf, object, undefined);
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    this.#emit({ type: 'DELETED', object, plural: shelf.type.plural, resourceVersion: this.#version });
    if (uid) this.#collect(uid);
    if (shelf.type.plural === 'namespaces') this.#emptyNamespace(name);
  }

  /** Background garbage collection: a dependent goes when its last owner went. */
  #collect(ownerUid: string): void {
    const owned = this.#dependents.get(ownerUid);
    this.#dependents.delete(ownerUid);
    for (const { shelf, name, namespace } of owned?.values() ?? []) {
      const dependent = shelf.byKey.get(keyOf(name, namespace));
      if (!dependent) continue;
      const others = (dependent.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== ownerUid);
      if (others.length === 0) this.delete(qualifiedGroupName(shelf.type), name, namespace);
      else this.update(qualifiedGroupName(shelf.type), name, namespace, (copy) => void (copy.metadata.ownerReferences = others));
    }
  }

  #orphan(owner: KubeObject): void {
    const uid = owner.metadata.uid;
    if (!uid) return;
    const owned = Array.from(this.#dependents.get(uid)?.values() ?? []);
    for (const { shelf, name, namespace } of owned) {
      this.update(qualifiedGroupName(shelf.type), name, namespace, (copy) => {
        const others = (copy.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
        if (others.length > 0) copy.metadata.ownerReferences = others;
        else delete copy.metadata.ownerReferences;
      });
    }
  }

  #emptyNamespace(namespace: string): void {
    for (const shelf of new Set(this.#shelves.values())) {
      const names = Array.from(shelf.byNamespace.get(namespace)?.keys() ?? []);
      for (const name of names) {
        if (shelf.byKey.has(keyOf(name, namespace)))
          this.delete(qualifiedGroupName(shelf.type), name, namespace, { gracePeriodSeconds: 0 });
      }
    }
  }

  #index(shelf: Shelf, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (!object) return;
    const { name, namespace } = object.metadata;
    const key = `${qualifiedGroupName(shelf.type)}/${keyOf(name, namespace)}`;
    const owners = new Set((after?.metadata.ownerReferences ?? []).map((owner) => owner.uid));
    for (const owner of before?.metadata.ownerReferences ?? []) if (!owners.has(owner.uid)) this.#dependents.get(owner.uid)?.delete(key);
    for (const uid of owners) {
      const owned = this.#dependents.get(uid) ?? new Map<string, { shelf: Shelf; name: string; namespace: string | undefined }>();
      owned.set(key, { shelf, name, namespace });
      this.#dependents.set(uid, owned);
    }
  }

  /** In order, even when a listener changes the store. */
  #emit(event: StoreEvent): void {
    this.#pending.push(event);
    if (this.#emitting) return;
    this.#emitting = true;
    try {
      for (let next = this.#pending.shift(); next; next = this.#pending.shift()) for (const listener of this.#listeners) listener(next);
    } finally {
      this.#emitting = false;
    }
  }

  /** RFC 3339 in seconds, as the API server writes it. */
  #timestamp(offsetMs = 0): string {
    return new Date(this.#now().getTime() + offsetMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  }
}

function keyOf(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** "pods.", "nodepools.karpenter.sh": unique over groups. */
function qualifiedGroupName(type: ResourceType): string {
  return `${type.plural}.${type.group}`;
}

/** What generation counts: everything but metadata and status. */
function desired(object: KubeObject): Record<string, unknown> {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

function keepOrDrop(metadata: KubeObject['metadata'], current: KubeObject['metadata'], field: 'generation' | 'deletionTimestamp'): void {
  if (current[field] === undefined) delete metadata[field];
  else Object.assign(metadata, { [field]: current[field] });
}
