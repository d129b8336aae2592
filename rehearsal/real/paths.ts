/** Paths of the Kubernetes API. */
import type { ResourceType } from '../kubernetes/store.ts';

type Located = Pick<ResourceType, 'group' | 'version' | 'plural' | 'namespaced'>;

export function collectionPath({ group, version, plural, namespaced }: Located, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== undefined ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

export function objectPath(type: Located, name: string, namespace?: string): string {
  return `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
}
