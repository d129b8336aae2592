/** What of an object's metadata is the server's own. */
import type { KubeObject, ResourceType } from './store.ts';

/** Owner references but those to one owner. */
export function ownersBut(object: KubeObject, uid: string): NonNullable<KubeObject['metadata']['ownerReferences']> {
  return (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
}

/** What generation counts: everything but metadata, the version that is stored, and a status that is written apart. */
export function desired(type: ResourceType, object: KubeObject): Record<string, unknown> {
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, status, ...rest } = object;
  return type.subresources?.includes('status') ? rest : { ...rest, status };
}

/** A field of the metadata that clients cannot set. */
export function keepOrDrop(
  metadata: KubeObject['metadata'],
  current: KubeObject['metadata'],
  field: 'generation' | 'deletionTimestamp' | 'deletionGracePeriodSeconds',
): void {
  if (current[field] === undefined) delete metadata[field];
  else Object.assign(metadata, { [field]: current[field] });
}
