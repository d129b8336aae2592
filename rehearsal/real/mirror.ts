/**
 * The world's object store where the API server is a real one: reads come from a cache that watches keep up, writes are sent in the
 * background and seen at once here. So the controllers that play EKS and EC2 are the twin's own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventQueue, type StoreListener } from '../kubernetes/event-queue.ts';
import { notFound } from '../kubernetes/failures.ts';
import { cloneJson } from '../kubernetes/json.ts';
import { Shelf } from '../kubernetes/shelf.ts';
import {
  type DeleteOptions,
  type EvictionResult,
  type KubeObject,
  type ObjectStore,
  type ResourceType,
  StoreError,
} from '../kubernetes/store.ts';
import { apiVersionOf, BUILT_IN_TYPES, CUSTOM_TYPES, typeKey } from '../kubernetes/types.ts';
import { type Api, ApiError } from './api.ts';
import { Evictions } from './evictions.ts';
import { mergePatch } from './merge-patch.ts';
import { collectionPath, objectPath } from './paths.ts';
import { Writes } from './writes.ts';

/** What the rehearsal's own controllers and its comparison of before and after look at. */
const WATCHED = [
  'namespaces',
  'nodes',
  'pods',
  'services',
  'configmaps',
  'deployments',
  'statefulsets',
  'daemonsets',
  'poddisruptionbudgets',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'nodepools',
  'nodeclaims',
  'ec2nodeclasses',
];
/** Their status is their kubelet's: KWOK's. */
const KUBELETS_OWN = ['nodes', 'pods'];
const RETRY_MS = 200;

export interface MirrorOptions {
  api: Api;
  /** A write that the server refused, for people. */
  onRefusal: (text: string) => void;
}

export class MirrorStore implements ObjectStore {
  readonly #api: Api;
  readonly #shelves = new Map<string, Shelf>();
  readonly #events = new EventQueue();
  readonly #stop = new AbortController();
  readonly #writes: Writes;
  readonly #evictions: Evictions;
  #version = 1;

  constructor({ api, onRefusal }: MirrorOptions) {
    this.#api = api;
    this.#writes = new Writes({ onRefusal, signal: this.#stop.signal });
    this.#evictions = new Evictions(api, this);
    for (const type of [...BUILT_IN_TYPES, ...CUSTOM_TYPES]) {
      const shelf = new Shelf(type);
      this.#shelves.set(typeKey(type), shelf);
      if (!this.#shelves.has(type.plural)) this.#shelves.set(type.plural, shelf);
    }
  }

  /** Resolves when all that is there has been read once. */
  async start(): Promise<void> {
    await Promise.all(
      WATCHED.map(async (plural) => {
        const shelf = this.#shelf(plural);
        const version = await this.#list(shelf).catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 404) return '0';
          throw error;
        });
        void this.#follow(shelf, version);
      }),
    );
  }

  stop(): void {
    this.#stop.abort();
  }

  types(): readonly ResourceType[] {
    return WATCHED.map((plural) => this.#shelf(plural).type);
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
    const wanted = Object.entries(where.labels ?? {});
    return this.#shelf(plural)
      .all(where.namespace)
      .filter((object) => wanted.every(([key, value]) => object.metadata.labels?.[key] === value));
  }

  ownedBy(uid: string): KubeObject[] {
    return WATCHED.flatMap((plural) => this.list(plural)).filter(({ metadata }) => metadata.ownerReferences?.some((o) => o.uid === uid));
  }

  podsOn(node: string): KubeObject[] {
    return this.list('pods').filter((pod) => pod.spec?.nodeName === node);
  }

  create(plural: string, object: KubeObject): KubeObject {
    const shelf = this.#shelf(plural);
    const { type } = shelf;
    const copy: KubeObject = cloneJson({ ...object, apiVersion: object.apiVersion || apiVersionOf(type), kind: object.kind || type.kind });
    if (type.namespaced) copy.metadata.namespace ??= 'default';
    const { name, namespace } = copy.metadata;
    this.#put(shelf, copy, 'ADDED');
    this.#writes.send(nameOf(shelf, name, namespace), async () => {
      const created = await this.#api.post(collectionPath(type, namespace), copy);
      const status = type.subresources?.includes('status') === true ? mergePatch(created.status, copy.status) : undefined;
      if (copy.status !== undefined && status !== undefined && !KUBELETS_OWN.includes(plural))
        await this.#api.patch(`${objectPath(type, name, namespace)}/status`, { status: copy.status });
    });
    return copy;
  }

  update(plural: string, name: string, namespace: string | undefined, change: (copy: KubeObject) => void): KubeObject {
    const shelf = this.#shelf(plural);
    const current = shelf.get(name, namespace);
    if (current === undefined) throw notFound(shelf.type, name);
    const copy = cloneJson(current);
    change(copy);
    const { status: wasStatus, ...was } = current;
    const { status: isStatus, ...is } = copy;
    const body = mergePatch(was, is);
    const status = KUBELETS_OWN.includes(plural) ? undefined : mergePatch(wasStatus, isStatus);
    if (body === undefined && status === undefined) return current;
    this.#put(shelf, copy, 'MODIFIED');
    const path = objectPath(shelf.type, name, namespace);
    this.#writes.send(nameOf(shelf, name, namespace), async () => {
      if (body !== undefined) await this.#api.patch(path, body);
      if (status !== undefined) await this.#api.patch(`${path}/status`, { status });
    });
    return copy;
  }

  delete(plural: string, name: string, namespace?: string, options: DeleteOptions = {}): void {
    const shelf = this.#shelf(plural);
    const current = shelf.get(name, namespace);
    if (current === undefined) throw notFound(shelf.type, name);
    const copy = cloneJson(current);
    copy.metadata.deletionTimestamp ??= new Date().toISOString();
    this.#put(shelf, copy, 'MODIFIED');
    this.#writes.send(nameOf(shelf, name, namespace), async () => {
      await this.#api.delete(objectPath(shelf.type, name, namespace), { kind: 'DeleteOptions', apiVersion: 'v1', ...options });
    });
  }

  evict(name: string, namespace: string): EvictionResult {
    return this.#evictions.attempt(name, namespace);
  }

  watch(listener: StoreListener): () => void {
    return this.#events.listen(listener);
  }

  #shelf(plural: string): Shelf {
    const shelf = this.#shelves.get(plural);
    if (shelf === undefined) throw new StoreError(404, 'NotFound', 'the server could not find the requested resource');
    return shelf;
  }

  #put(shelf: Shelf, object: KubeObject, type: 'ADDED' | 'MODIFIED'): void {
    shelf.put(object);
    this.#tell(shelf, object, type);
  }

  #tell(shelf: Shelf, object: KubeObject, type: 'ADDED' | 'MODIFIED' | 'DELETED'): void {
    this.#version += 1;
    this.#events.emit({ type, object, plural: shelf.type.plural, resourceVersion: this.#version });
  }

  /** Returns the resource version that a watch goes on from. */
  async #list(shelf: Shelf): Promise<string> {
    const list = await this.#api.get(collectionPath(shelf.type));
    const items: KubeObject[] = list['items'] ?? [];
    const names = new Set(items.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`));
    for (const known of shelf.all(undefined)) {
      if (names.has(`${known.metadata.namespace ?? ''}/${known.metadata.name}`)) continue;
      shelf.remove(known);
      this.#tell(shelf, known, 'DELETED');
    }
    for (const item of items) this.#put(shelf, { ...item, apiVersion: apiVersionOf(shelf.type), kind: shelf.type.kind }, 'MODIFIED');
    return list.metadata.resourceVersion ?? '0';
  }

  async #follow(shelf: Shelf, from: string): Promise<void> {
    const { signal } = this.#stop;
    let version = from;
    while (!signal.aborted) {
      try {
        const path = `${collectionPath(shelf.type)}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;
        await this.#api.watch(path, ({ type, object }) => void (version = this.#see(shelf, type, object) ?? version), signal);
      } catch (error) {
        if (signal.aborted) return;
        await sleep(RETRY_MS);
        // 404: its CRD is not there yet.
        if (error instanceof ApiError && (error.code === 410 || error.code === 404)) version = await this.#list(shelf).catch(() => version);
      }
    }
  }

  /** The version that the next watch goes on from. */
  #see(shelf: Shelf, type: string, object: KubeObject): string | undefined {
    const version = object.metadata.resourceVersion;
    if (type === 'BOOKMARK') return version;
    if (type === 'DELETED') {
      shelf.remove(object);
      if (shelf.type.plural === 'pods') this.#evictions.forget(object.metadata.name, object.metadata.namespace ?? '');
      this.#tell(shelf, object, 'DELETED');
    } else this.#put(shelf, object, type === 'ADDED' ? 'ADDED' : 'MODIFIED');
    return version;
  }
}

/** As people name it: nodes/ip-10-0-1-7, pods/shop/cart-0. */
function nameOf({ type }: Shelf, name: string, namespace?: string): string {
  return [type.plural, namespace, name].filter((part) => part !== undefined).join('/');
}
