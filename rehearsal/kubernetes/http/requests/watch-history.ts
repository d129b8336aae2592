/** The last changes of the store: a watch can start at a version that lies a little back, and a page shows the cluster as it was. */
import type { KubeObject, ObjectStore, ResourceType, WatchEvent } from '../../store.ts';
import { groupOf } from '../../types.ts';
import { ObjectIndex, placeOf } from '../object-index.ts';

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
  readonly index: ObjectIndex;
  readonly #limit: number;
  #changes: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #stop: () => void;
  readonly #store: ObjectStore;
  /** Versions at or above this one can be watched from. */
  #floor: number;

  constructor(store: ObjectStore, limit: number) {
    this.#limit = limit;
    this.#store = store;
    this.#floor = store.resourceVersion();
    this.index = new ObjectIndex(store);
    this.#stop = store.watch((event) => this.#record(event));
  }

  get floor(): number {
    return this.#floor;
  }

  /** Forgets everything but what is now. */
  compact(): void {
    this.#changes = [];
    this.#floor = this.#store.resourceVersion();
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  /** Changes of a type after a version, oldest first; undefined when that version is too old. */
  since(type: ResourceType, resourceVersion: number): Change[] | undefined {
    if (resourceVersion < this.#floor) return undefined;
    return this.#changes.slice(this.#firstAfter(resourceVersion)).filter((change) => concerns(change, type));
  }

  /** Objects in the order of their keys, as they are or as they were at a version; it must not be older than `floor`. */
  *objects(type: ResourceType, namespace: string | undefined, after?: string, at?: number): Generator<KubeObject> {
    const then = at === undefined || at === 0 ? new Map<string, KubeObject | undefined>() : this.#before(type, at);
    const removed = [...then]
      .filter(([place, object]) => object && (after === undefined || place > after))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    for (const object of this.index.after(type, namespace, after)) {
      const place = placeOf(object);
      while (removed[0] && removed[0][0] < place) {
        const gone = removed.shift()?.[1];
        if (gone && isIn(gone, namespace)) yield gone;
      }
      if (!then.has(place)) yield object;
    }
    for (const [, object] of removed) if (object && isIn(object, namespace)) yield object;
  }

  listen(type: ResourceType, listener: (change: Change) => void): () => void {
    const filtered = (change: Change) => {
      if (concerns(change, type)) listener(change);
    };
    this.#listeners.add(filtered);
    return () => this.#listeners.delete(filtered);
  }

  /** What has changed since, as it was: by place; undefined for what was not there. */
  #before(type: ResourceType, resourceVersion: number): Map<string, KubeObject | undefined> {
    const then = new Map<string, KubeObject | undefined>();
    for (const change of this.since(type, resourceVersion) ?? []) {
      const place = placeOf(change.object);
      if (!then.has(place)) then.set(place, change.previous);
    }
    return then;
  }

  #firstAfter(resourceVersion: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.resourceVersion ?? 0) <= resourceVersion) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #record(event: Parameters<Parameters<ObjectStore['watch']>[0]>[0]): void {
    const change: Change = {
      type: event.type,
      object: event.object,
      previous: this.index.note(event),
      plural: event.plural,
      apiVersion: event.object.apiVersion,
      resourceVersion: event.resourceVersion,
    };
    this.#changes.push(change);
    if (this.#changes.length > this.#limit * 1.25) {
      const dropped = this.#changes.splice(0, this.#changes.length - this.#limit);
      this.#floor = dropped.at(-1)?.resourceVersion ?? this.#floor;
    }
    for (const listener of this.#listeners) listener(change);
  }
}

function isIn(object: KubeObject, namespace: string | undefined): boolean {
  return namespace === undefined || object.metadata.namespace === namespace;
}

/** Versions of a custom type are one and the same here. */
function concerns(change: Change, type: ResourceType): boolean {
  return change.plural === type.plural && groupOf(change.apiVersion) === type.group;
}
