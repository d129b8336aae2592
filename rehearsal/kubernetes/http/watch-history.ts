/** The last changes of the store, so that a watch can start at a version that lies a little back. */
import { apiVersionOf, typeKey } from '../types.ts';
import type { KubeObject, ObjectStore, ResourceType, WatchEvent } from '../store.ts';

export interface Change {
  type: WatchEvent['type'];
  object: KubeObject;
  /** The object before this change, where there was one. */
  previous: KubeObject | undefined;
  plural: string;
  apiVersion: string;
  resourceVersion: number;
}

export class WatchHistory {
  readonly #limit: number;
  readonly #changes: Change[] = [];
  readonly #latest = new Map<string, KubeObject>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #stop: () => void;
  /** Versions at or above this one can be watched from. */
  #floor: number;

  constructor(store: ObjectStore, limit: number) {
    this.#limit = limit;
    this.#floor = store.resourceVersion();
    for (const type of store.types()) {
      for (const object of store.list(typeKey(type))) this.#latest.set(keyOf(type.plural, object), object);
    }
    this.#stop = store.watch((event) => this.#record(event));
  }

  get floor(): number {
    return this.#floor;
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  /** Changes of a type after a version, oldest first; undefined when that version is too old. */
  since(type: ResourceType, resourceVersion: number): Change[] | undefined {
    if (resourceVersion < this.#floor) return undefined;
    return this.#changes.filter((change) => change.resourceVersion > resourceVersion && concerns(change, type));
  }

  listen(type: ResourceType, listener: (change: Change) => void): () => void {
    const filtered = (change: Change) => {
      if (concerns(change, type)) listener(change);
    };
    this.#listeners.add(filtered);
    return () => this.#listeners.delete(filtered);
  }

  #record(event: Parameters<Parameters<ObjectStore['watch']>[0]>[0]): void {
    const key = keyOf(event.plural, event.object);
    const change: Change = {
      type: event.type,
      object: event.object,
      previous: this.#latest.get(key),
      plural: event.plural,
      apiVersion: event.object.apiVersion,
      resourceVersion: event.resourceVersion,
    };
    if (event.type === 'DELETED') this.#latest.delete(key);
    else this.#latest.set(key, event.object);
    this.#changes.push(change);
    if (this.#changes.length > this.#limit * 1.25) {
      const dropped = this.#changes.splice(0, this.#changes.length - this.#limit);
      this.#floor = dropped.at(-1)?.resourceVersion ?? this.#floor;
    }
    for (const listener of this.#listeners) listener(change);
  }
}

function concerns(change: Change, type: ResourceType): boolean {
  return change.plural === type.plural && change.apiVersion === apiVersionOf(type);
}

function keyOf(plural: string, object: KubeObject): string {
  return `${object.apiVersion}/${plural}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}
