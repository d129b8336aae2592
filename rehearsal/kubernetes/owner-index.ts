/** Which objects name which owner, so that the garbage collector need not search. */
import type { KubeObject } from './store.ts';

/** Where an object is. */
export interface Place {
  /** "pods.", "nodepools.karpenter.sh" */
  type: string;
  name: string;
  namespace: string | undefined;
}

export class OwnerIndex {
  /** Uid of an owner → what it owns, by place. */
  readonly #owned = new Map<string, Map<string, Place>>();

  /** Takes note of an object that was stored, changed or removed. */
  note(type: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (!object) return;
    const { name, namespace } = object.metadata;
    const key = `${type}/${namespace ?? ''}/${name}`;
    const owners = new Set((after?.metadata.ownerReferences ?? []).map((owner) => owner.uid));
    for (const owner of before?.metadata.ownerReferences ?? []) if (!owners.has(owner.uid)) this.#owned.get(owner.uid)?.delete(key);
    for (const uid of owners) {
      const owned = this.#owned.get(uid) ?? new Map<string, Place>();
      owned.set(key, { type, name, namespace });
      this.#owned.set(uid, owned);
    }
  }

  ownedBy(uid: string): Place[] {
    return Array.from(this.#owned.get(uid)?.values() ?? []);
  }

  forget(uid: string): void {
    this.#owned.delete(uid);
  }
}
