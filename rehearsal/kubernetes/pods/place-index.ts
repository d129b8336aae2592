/** Which objects go with which key (their owner's uid, their node's name), so that nobody has to search all of them. */
import type { KubeObject } from '../store.ts';

/** Where an object is. */
export interface Place {
  /** "pods.", "nodepools.karpenter.sh" */
  type: string;
  name: string;
  namespace: string | undefined;
  /** As it is now. */
  object: KubeObject;
}

export class PlaceIndex {
  readonly #keysOf: (object: KubeObject) => readonly string[];
  /** Key → places, by their own text. */
  readonly #places = new Map<string, Map<string, Place>>();

  constructor(keysOf: (object: KubeObject) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  /** Takes note of an object that was stored, changed or removed. */
  note(type: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (!object) return;
    const keys = new Set(after === undefined ? [] : this.#keysOf(after));
    const left = before === undefined ? [] : this.#keysOf(before).filter((key) => !keys.has(key));
    if (keys.size === 0 && left.length === 0) return;
    const { name, namespace } = object.metadata;
    const text = `${type}/${namespace ?? ''}/${name}`;
    for (const key of left) {
      const places = this.#places.get(key);
      places?.delete(text);
      if (places?.size === 0) this.#places.delete(key);
    }
    for (const key of keys) {
      const places = this.#places.get(key) ?? new Map<string, Place>();
      places.set(text, { type, name, namespace, object });
      this.#places.set(key, places);
    }
  }

  at(key: string): Place[] {
    return Array.from(this.#places.get(key)?.values() ?? []);
  }

  forget(key: string): void {
    this.#places.delete(key);
  }
}
