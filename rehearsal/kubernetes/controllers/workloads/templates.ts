/** Pods made from templates: names, labels, hashes, ownership. */
import { equalJson, stableJson } from '../../json.ts';
import { shortHash } from '../../names.ts';
import { controllerOf } from '../../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import type { Key } from '../keyed.ts';

const hashes = new WeakMap<object, string>();

/** The hash of a pod template; cached, for stored objects never change. */
export function templateHash(template: object): string {
  const known = hashes.get(template);
  if (known !== undefined) return known;
  const hash = shortHash(stableJson(template));
  hashes.set(template, hash);
  return hash;
}

/** A pod of a workload, not yet created. */
export function podFromTemplate(
  owner: KubeObject,
  name: { name: string } | { generateName: string },
  labels: Record<string, string>,
): KubeObject {
  const template = owner.spec?.template ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      ...name,
      namespace: owner.metadata.namespace,
      labels: { ...template.metadata?.labels, ...labels },
      ...(template.metadata?.annotations ? { annotations: template.metadata.annotations } : {}),
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...template.spec },
  };
}

export function ownerReference(owner: KubeObject) {
  const { name, uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** What an object controls, of one kind. */
export function controlledBy(store: ObjectStore, { metadata: { uid = '' } }: KubeObject, kind: string): KubeObject[] {
  return store.ownedBy(uid).filter((object) => object.kind === kind && controllerOf(object)?.uid === uid);
}

/** For `keyed`: the object of this kind that controls another. */
export function controllerKey(kind: string): (object: KubeObject) => Key[] {
  return (object) => {
    const owner = controllerOf(object);
    return owner?.kind === kind ? [{ name: owner.name, namespace: object.metadata.namespace }] : [];
  };
}

/** A count of nothing is left out, as Go's `omitempty` does. */
export function withoutZeros(status: KubeObject['status'], fields: string[]): KubeObject['status'] {
  const kept = { ...status };
  for (const field of fields) if (kept[field] === 0) delete kept[field];
  return kept;
}

/** Stores a status where it differs from the one that is there. */
export function writeStatus(
  store: ObjectStore,
  plural: string,
  { metadata, status: known }: KubeObject,
  status: KubeObject['status'],
): void {
  if (!equalJson(status, known)) store.update(plural, metadata.name, metadata.namespace, (copy) => void (copy.status = status));
}
