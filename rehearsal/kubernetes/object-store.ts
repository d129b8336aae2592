/** The twin's object store: resource versions, generations, finalizers, graceful pod deletion, garbage collection and watch events, in memory. */
import { randomUUID } from 'node:crypto';
import { applyDefaults, hasGeneration } from './defaulting/index.ts';
import { isFree, markEnding } from './deletion.ts';
import { EventQueue, type StoreListener } from './event-queue.ts';
import { alreadyExists, badRequest, fieldError, invalid, notFound } from './failures.ts';
import { cloneJson, equalJson } from './json.ts';
import { noteCreated, noteUpdated } from './managed-fields/index.ts';
import { desired, keepOrDrop, ownersBut } from './metadata.ts';
import { freeName } from './names.ts';
import { kubeTime } from './pods/pods.ts';
import { type Place, PlaceIndex } from './pods/place-index.ts';
import { Shelf } from './shelf.ts';
import { type DeleteOptions, type FieldWriter, type KubeObject, type ObjectStore, type ResourceType, StoreError } from './store.ts';
import { NEWER_TYPES } from './newer-types.ts';
import { apiVersionOf, BUILT_IN_TYPES, CUSTOM_TYPES, typeFromDefinition, typeKey } from './types.ts';

/** Changes a pod that is about to be created, as a mutating webhook would. */
export type PodAdmission = (pod: KubeObject, store: ObjectStore) => void;

export interface ObjectStoreOptions {
  /** World time. */
  now: () => Date;
  /** Called in order on each pod that is created. The array may grow later: Istio's injector registers itself here. */
  admission?: PodAdmission[];
}

const PODS = typeKey({ plural: 'pods', group: '' });
const FIRST_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** An empty store with the namespaces that every cluster has. Types are named by plural, or by "plural.group" where a plural is not unique. */
export function createObjectStore(options: ObjectStoreOptions): ObjectStore {
  return new MemoryStore(options);
}

class MemoryStore implements ObjectStore {
  readonly #now: () => Date;
  readonly #admission: PodAdmission[];
  readonly #shelves = new Map<string, Shelf>();
  readonly #owners = new PlaceIndex(({ metadata }) => (metadata.ownerReferences ?? []).map((owner) => owner.uid));
  readonly #pods = new PlaceIndex((pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
  readonly #events = new EventQueue();
  #version = 1000;
  #types: readonly ResourceType[] | undefined;

  constructor(options: ObjectStoreOptions) {
    this.#now = options.now;
    this.#admission = options.admission ?? [];
    for (const type of [...BUILT_IN_TYPES, ...NEWER_TYPES, ...CUSTOM_TYPES]) this.#register(type);
    for (const name of FIRST_NAMESPACES) this.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  types(): readonly ResourceType[] {
    this.#types ??= [...new Set([...this.#shelves.values()].map((shelf) => shelf.type))];
    return this.#types;
  }

  type(plural: string, group?: string): ResourceType | undefined {
    return this.#shelves.get(group === undefined ? plural : typeKey({ plural, group }))?.type;
  }

  resourceVersion(): number {
    return this.#version;
  }

  get(plural: string, name: string, namespace?: string): KubeObject | undefined {
    return this.#shelf(plural).get(name, namespace);
  }

  list(plural: string, where: { namespace?: string; labels?: Record<string, string> } = {}): KubeObject[] {
    const objects = this.#shelf(plural).all(where.namespace);
    if (!where.labels) return objects;
    const wanted = Object.entries(where.labels);
    return objects.filter((object) => wanted.every(([key, value]) => object.metadata.labels?.[key] === value));
  }

  ownedBy(uid: string): KubeObject[] {
    return objectsAt(this.#owners.at(uid));
  }

  podsOn(node: string): KubeObject[] {
    return objectsAt(this.#pods.at(node));
  }

  create(plural: string, object: KubeObject, writer?: FieldWriter): KubeObject {
    const shelf = this.#shelf(plural);
    const { type } = shelf;
    const copy = cloneJson(object);
    copy.apiVersion ||= apiVersionOf(type);
    copy.kind ||= type.kind;
    copy.metadata ??= { name: '' };
    const { metadata } = copy;
    if (type.namespaced && !metadata.namespace) metadata.namespace = 'default';
    if (!type.namespaced) delete metadata.namespace;
    if (!metadata.name && typeof metadata.generateName === 'string')
      metadata.name = freeName(metadata.generateName, this.#version + 1, (name) => shelf.get(name, metadata.namespace) !== undefined);
    if (!metadata.name) throw invalid(type, '', fieldError.required('metadata.name', 'name or generateName is required'));
    if (shelf.get(metadata.name, metadata.namespace)) throw alreadyExists(type, metadata.name);
    metadata.uid = randomUUID();
    metadata.creationTimestamp = kubeTime(this.#now().getTime());
    delete metadata.deletionTimestamp;
    if (hasGeneration(type.plural)) metadata.generation = 1;
    applyDefaults(type.plural, copy, this.#now().getTime());
    noteCreated(type, copy, object, this.#now().getTime(), writer);
    if (type.plural === 'pods' && type.group === '') for (const admit of this.#admission) admit(copy, this);
    this.#put(shelf, copy, 'ADDED');
    if (type.plural === 'customresourcedefinitions') this.#registerDefinition(copy);
    return this.#shelf(plural).get(metadata.name, metadata.namespace) ?? copy;
  }

  load(plural: string, object: KubeObject): void {
    const shelf = this.#shelf(plural);
    const { name, namespace } = object.metadata;
    const before = shelf.get(name, namespace);
    this.#version += 1;
    const copy = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    shelf.put(copy);
    this.#note(shelf, before, copy);
    this.#events.emit({
      type: before === undefined ? 'ADDED' : 'MODIFIED',
      object: copy,
      plural: shelf.type.plural,
      resourceVersion: this.#version,
    });
    if (shelf.type.plural === 'customresourcedefinitions') this.#registerDefinition(copy);
  }

  update(
    plural: string,
    name: string,
    namespace: string | undefined,
    change: (copy: KubeObject) => void,
    writer?: FieldWriter,
  ): KubeObject {
    const shelf = this.#shelf(plural);
    const current = shelf.get(name, namespace);
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
    keepOrDrop(metadata, current.metadata, 'deletionGracePeriodSeconds');
    if (metadata.finalizers?.length === 0) delete metadata.finalizers;
    if (writer?.operation !== 'Apply' && equalJson(copy, current)) return current;
    noteUpdated(shelf.type, current, copy, this.#now().getTime(), writer);
    // Of its entries nothing may be left to change.
    if (copy.metadata.managedFields !== undefined && equalJson(copy, current)) return current;
    if (metadata.generation !== undefined && !equalJson(desired(shelf.type, copy), desired(shelf.type, current))) metadata.generation += 1;
    if (isFree(shelf.type, copy)) {
      // Its last writer gets the version that it wrote on.
      this.#remove(shelf, current, cloneJson(copy));
      return copy;
    }
    this.#put(shelf, copy, 'MODIFIED', current);
    if (shelf.type.plural === 'customresourcedefinitions') this.#registerDefinition(copy);
    return copy;
  }

  delete(plural: string, name: string, namespace?: string, options: DeleteOptions = {}): void {
    const shelf = this.#shelf(plural);
    const current = shelf.get(name, namespace);
    if (!current) throw notFound(shelf.type, name);
    const copy = cloneJson(current);
    if (!markEnding(shelf.type, copy, options, this.#now().getTime())) return;
    if (isFree(shelf.type, copy)) return this.#remove(shelf, current, copy);
    if (!equalJson(copy, current)) this.#put(shelf, copy, 'MODIFIED', current);
  }

  watch(listener: StoreListener): () => void {
    return this.#events.listen(listener);
  }

  #shelf(plural: string): Shelf {
    const shelf = this.#shelves.get(plural);
    if (!shelf) throw new StoreError(404, 'NotFound', 'the server could not find the requested resource');
    return shelf;
  }

  #register(type: ResourceType): Shelf {
    const known = this.#shelves.get(typeKey(type));
    if (known) {
      if (equalJson(known.type, type)) return known;
      known.type = type;
      this.#types = undefined;
      return known;
    }
    const shelf = new Shelf(type);
    this.#shelves.set(typeKey(type), shelf);
    if (!this.#shelves.has(type.plural)) this.#shelves.set(type.plural, shelf);
    this.#types = undefined;
    return shelf;
  }

  #registerDefinition(definition: KubeObject): void {
    const type = typeFromDefinition(definition);
    if (type) this.#register(type).isDefined = true;
  }

  #put(shelf: Shelf, object: KubeObject, event: 'ADDED' | 'MODIFIED', previous?: KubeObject): void {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    // Each write stores anew, in the version that is stored now.
    if (shelf.isDefined) object.apiVersion = apiVersionOf(shelf.type);
    shelf.put(object);
    this.#note(shelf, previous, object);
    this.#events.emit({ type: event, object, plural: shelf.type.plural, resourceVersion: this.#version });
  }

  #note(shelf: Shelf, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.#owners.note(shelf.key, before, after);
    if (shelf.key === PODS) this.#pods.note(shelf.key, before, after);
  }

  /** Takes the object away, then what it owned. */
  #remove(shelf: Shelf, current: KubeObject, last: KubeObject): void {
    // Clients see it as it was last; that it is ending is only on those that took their time.
    const object = current.metadata.deletionTimestamp === undefined ? cloneJson(current) : last;
    const { uid } = object.metadata;
    shelf.remove(object);
    this.#note(shelf, current, undefined);
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    this.#events.emit({ type: 'DELETED', object, plural: shelf.type.plural, resourceVersion: this.#version });
    if (uid) this.#collect(uid);
  }

  /** Background garbage collection: a dependent goes when its last owner went. */
  #collect(ownerUid: string): void {
    const owned = this.#owners.at(ownerUid);
    this.#owners.forget(ownerUid);
    for (const { type, name, namespace } of owned) {
      const dependent = this.get(type, name, namespace);
      if (!dependent) continue;
      const others = ownersBut(dependent, ownerUid);
      if (others.length === 0) this.delete(type, name, namespace);
      else this.update(type, name, namespace, (copy) => void (copy.metadata.ownerReferences = others));
    }
  }
}

const objectsAt = (places: readonly Place[]): KubeObject[] => places.map(({ object }) => object);
