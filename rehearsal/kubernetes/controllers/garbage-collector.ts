/** The garbage collector's two policies that take time: dependents first (Foreground), or dependents set free (Orphan). */
import type { Controller } from '../../world/world.ts';
import { ownersBut } from '../metadata.ts';
import { isTerminating } from '../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { groupOf, typeKey } from '../types.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** Where owners wait that the collector has to do something for. */
type Waiting = Map<string, { type: string; name: string; namespace: string | undefined }>;

const waitingByStore = new WeakMap<ObjectStore, Waiting>();

export const garbageCollector: Controller = {
  name: 'garbage-collector',
  everyMs: 500,
  tick({ store }) {
    const waiting = waitingIn(store);
    for (const [uid, { type, name, namespace }] of waiting) {
      const owner = store.get(type, name, namespace);
      if (owner?.metadata.uid === uid && waits(owner)) collect(store, type, owner);
      else waiting.delete(uid);
    }
  },
};

/** Found once by looking at everything, then by the store's events. */
function waitingIn(store: ObjectStore): Waiting {
  const known = waitingByStore.get(store);
  if (known) return known;
  const waiting: Waiting = new Map();
  const note = (type: string, object: KubeObject) => {
    const { uid, name, namespace } = object.metadata;
    if (uid && waits(object)) waiting.set(uid, { type, name, namespace });
  };
  for (const type of store.types()) for (const object of store.list(typeKey(type))) note(typeKey(type), object);
  store.watch(({ object, plural }) => {
    note(typeKey({ group: groupOf(object.apiVersion), plural }), object);
  });
  waitingByStore.set(store, waiting);
  return waiting;
}

function waits(object: KubeObject): boolean {
  return isTerminating(object) && (object.metadata.finalizers ?? []).some((name) => name === FOREGROUND || name === ORPHAN);
}

function collect(store: ObjectStore, type: string, owner: KubeObject): void {
  const { uid = '', name, namespace, finalizers = [] } = owner.metadata;
  const dependents = store.ownedBy(uid);
  if (finalizers.includes(ORPHAN)) {
    for (const dependent of dependents) {
      store.update(typeOf(store, dependent), dependent.metadata.name, dependent.metadata.namespace, (copy) => {
        const others = ownersBut(copy, uid);
        if (others.length > 0) copy.metadata.ownerReferences = others;
        else delete copy.metadata.ownerReferences;
      });
    }
    return letGo(store, type, owner, ORPHAN);
  }
  let blocked = false;
  for (const { metadata, ...object } of dependents) {
    const place = { type: typeOf(store, object), name: metadata.name, namespace: metadata.namespace };
    // One may have gone with another.
    const dependent = store.get(place.type, place.name, place.namespace);
    const reference = dependent?.metadata.ownerReferences?.find((each) => each.uid === uid);
    if (!dependent || !reference) continue;
    if (reference.blockOwnerDeletion === true) blocked = true;
    if (!isTerminating(dependent)) store.delete(place.type, place.name, place.namespace, { propagationPolicy: 'Foreground' });
  }
  if (!blocked && store.get(type, name, namespace)) letGo(store, type, owner, FOREGROUND);
}

/** The store's name for an object's type. */
function typeOf(store: ObjectStore, { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  const group = groupOf(apiVersion);
  const plural = store.types().find((type) => type.group === group && type.kind === kind)?.plural;
  return typeKey({ group, plural: plural ?? kind });
}

function letGo(store: ObjectStore, type: string, { metadata: { name, namespace } }: KubeObject, finalizer: string): void {
  store.update(type, name, namespace, (copy) => {
    copy.metadata.finalizers = (copy.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  });
}
