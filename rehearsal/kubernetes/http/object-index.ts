/** All objects by type in the order of their keys, so that a page costs what a page is long and not what the cluster is large. */
import type { KubeObject, ObjectStore, ResourceType } from '../store.ts';
import { groupOf, typeKey } from '../types.ts';

/** Where an object stands in a list: "shop/cart-0", "node-1". The order is that of etcd's keys. */
export function placeOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** One type's objects. */
class Row {
  readonly byPlace = new Map<string, KubeObject>();
  /** Sorted on first use; kept in order from then on. */
  #places: string[] | undefined;

  put(place: string, object: KubeObject): void {
    if (this.#places && !this.byPlace.has(place)) this.#places.splice(firstAfter(this.#places, place), 0, place);
    this.byPlace.set(place, object);
  }

  remove(place: string): void {
    if (!this.byPlace.delete(place) || !this.#places) return;
    this.#places.splice(firstAfter(this.#places, place) - 1, 1);
  }

  get places(): readonly string[] {
    this.#places ??= [...this.byPlace.keys()].sort(byCode);
    return this.#places;
  }
}

export class ObjectIndex {
  readonly #rows = new Map<string, Row>();

  constructor(store: ObjectStore) {
    for (const type of store.types()) {
      for (const object of store.list(typeKey(type))) this.#row(typeKey(type)).put(placeOf(object), object);
    }
  }

  /** Takes note of a change; returns the object as it was before. */
  note(change: { type: string; plural: string; object: KubeObject }): KubeObject | undefined {
    const row = this.#row(typeKey({ group: groupOf(change.object.apiVersion), plural: change.plural }));
    const place = placeOf(change.object);
    const previous = row.byPlace.get(place);
    if (change.type === 'DELETED') row.remove(place);
    else row.put(place, change.object);
    return previous;
  }

  /** Objects in order, from a place on (exclusive); with how many there are to come, whatever the caller will filter. */
  *after(type: ResourceType, namespace: string | undefined, place: string | undefined): Generator<KubeObject> {
    const row = this.#row(typeKey(type));
    const { places } = row;
    const [from, to] = rangeOf(places, namespace, place);
    for (let index = from; index < to; index += 1) {
      const object = row.byPlace.get(places[index] ?? '');
      if (object) yield object;
    }
  }

  count(type: ResourceType, namespace: string | undefined, place: string | undefined): number {
    const [from, to] = rangeOf(this.#row(typeKey(type)).places, namespace, place);
    return Math.max(0, to - from);
  }

  #row(key: string): Row {
    const known = this.#rows.get(key);
    if (known) return known;
    const row = new Row();
    this.#rows.set(key, row);
    return row;
  }
}

function rangeOf(places: readonly string[], namespace: string | undefined, place: string | undefined): [from: number, to: number] {
  // "0" is the character after "/".
  const [first, last] =
    namespace === undefined ? [0, places.length] : [firstAfter(places, `${namespace}/`), firstAfter(places, `${namespace}0`)];
  return [Math.max(first, place === undefined ? 0 : firstAfter(places, place)), last];
}

/** Index of the first place that comes after `place`. */
function firstAfter(places: readonly string[], place: string): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? '') <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byCode(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
