/** Discovery documents: which groups, versions and resources this server has. */
import type { ObjectStore, ResourceType } from '../store.ts';
import { apiVersionOf, BUILT_IN_TYPES, typeKey } from '../types.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const BUILT_IN = new Set(BUILT_IN_TYPES.map(typeKey));

/** Types that a client sees: a custom one needs its definition, or at least one object of it. */
export function servedTypes(store: ObjectStore): ResourceType[] {
  return store.types().filter((type) => isServed(store, type));
}

export function isServed(store: ObjectStore, type: ResourceType): boolean {
  const name = typeKey(type);
  return !isCustom(type) || store.get('customresourcedefinitions', name) !== undefined || store.list(name).length > 0;
}

/** Does this type come from a CustomResourceDefinition? */
export function isCustom(type: ResourceType): boolean {
  return !BUILT_IN.has(typeKey(type));
}

/** GET /api */
export function coreVersions(): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:443' }],
  };
}

/** GET /apis */
export function groupList(store: ObjectStore): object {
  const groups = new Set(servedTypes(store).map((type) => type.group));
  groups.delete('');
  groups.add('authorization.k8s.io');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...groups].map((group) => groupEntry(store, group)) };
}

/** GET /apis/GROUP; undefined when there is none. */
export function groupDocument(store: ObjectStore, group: string): object | undefined {
  if (group !== 'authorization.k8s.io' && !servedTypes(store).some((type) => type.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(store, group) };
}

function groupEntry(store: ObjectStore, group: string): object {
  const versions = [
    ...new Set(
      servedTypes(store)
        .filter((type) => type.group === group)
        .map((type) => type.version),
    ),
  ];
  if (versions.length === 0) versions.push('v1');
  const entries = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

/** GET /api/v1, /apis/GROUP/VERSION; undefined when there is none. */
export function resourceList(store: ObjectStore, group: string, version: string): object | undefined {
  const groupVersion = apiVersionOf({ group, version });
  if (group === 'authorization.k8s.io' && version === 'v1') return list(groupVersion, REVIEWS);
  const types = servedTypes(store).filter((type) => type.group === group && type.version === version);
  return types.length === 0 ? undefined : list(groupVersion, types.flatMap(entriesOf));
}

function list(groupVersion: string, resources: object[]): object {
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

const REVIEWS = [
  {
    name: 'selfsubjectaccessreviews',
    singularName: 'selfsubjectaccessreview',
    namespaced: false,
    kind: 'SelfSubjectAccessReview',
    verbs: ['create'],
  },
];

function entriesOf(type: ResourceType): object[] {
  const { plural, kind, namespaced } = type;
  const own = {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: VERBS,
    ...(type.shortNames ? { shortNames: type.shortNames } : {}),
    ...(plural === 'pods' || plural === 'nodes' ? { categories: plural === 'pods' ? ['all'] : [] } : {}),
  };
  return [own, ...(type.subresources ?? []).map((subresource) => subresourceEntry(type, subresource))];
}

function subresourceEntry(type: ResourceType, subresource: 'status' | 'scale' | 'eviction'): object {
  const base = { name: `${type.plural}/${subresource}`, singularName: '', namespaced: type.namespaced };
  switch (subresource) {
    case 'status':
      return { ...base, kind: type.kind, verbs: ['get', 'patch', 'update'] };
    case 'scale':
      return { ...base, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] };
    case 'eviction':
      return { ...base, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
  }
}
