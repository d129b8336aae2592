/** Pods made from templates: names, labels, hashes, ownership. */
import { shortHash } from '../names.ts';
import type { KubeObject, ObjectStore } from '../store.ts';

const hashes = new WeakMap<object, string>();

/** The hash of a pod template; cached, for stored objects never change. */
export function templateHash(template: object): string {
  const known = hashes.get(template);
  if (known !== undefined) return known;
  const hash = shortHash(stableText(template));
  hashes.set(template, hash);
  return hash;
}

/** JSON with sorted keys. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
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

/** All objects of a type by the uid of the controller that owns them. */
export function byController(store: ObjectStore, plural: string): Map<string, KubeObject[]> {
  const owned = new Map<string, KubeObject[]>();
  for (const object of store.list(plural)) {
    const owner = object.metadata.ownerReferences?.find((reference) => reference.controller);
    if (!owner) continue;
    const siblings = owned.get(owner.uid);
    if (siblings) siblings.push(object);
    else owned.set(owner.uid, [object]);
  }
  return owned;
}

/** Takes over fields of a status, and writes only when one of them differs. */
export function writeStatus(store: ObjectStore, plural: string, object: KubeObject, change: (copy: KubeObject) => void): void {
  const { name, namespace } = object.metadata;
  store.update(plural, name, namespace, (copy) => {
    copy.status ??= {};
    change(copy);
  });
}
