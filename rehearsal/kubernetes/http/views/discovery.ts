/** Discovery documents: which groups, versions and resources this server has. */
import { olderVersions } from '../../deprecated-versions.ts';
import { NEWER_TYPES, newerVersions } from '../../newer-types.ts';
import type { CustomVersion } from '../../schemas/schema.ts';
import type { ObjectStore, ResourceType } from '../../store.ts';
import { apiVersionOf, BUILT_IN_TYPES, typeKey } from '../../types.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
/** A server of custom types lists the same verbs in an order of its own. */
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const BUILT_IN = new Set([...BUILT_IN_TYPES, ...NEWER_TYPES].map(typeKey));

const CATEGORIES: Record<string, string[]> = {
  ...Object.fromEntries(
    [
      'pods',
      'services',
      'replicationcontrollers',
      'deployments',
      'replicasets',
      'statefulsets',
      'daemonsets',
      'jobs',
      'cronjobs',
      'horizontalpodautoscalers',
    ].map((plural) => [plural, ['all']]),
  ),
  mutatingwebhookconfigurations: ['api-extensions'],
  validatingwebhookconfigurations: ['api-extensions'],
  customresourcedefinitions: ['api-extensions'],
};

/** What discovery depends on: the server's types, and its minor, "1.34". */
export interface Served {
  store: ObjectStore;
  serverVersion: string;
}

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

/** Is this version of the type served by a server of this minor? */
export function servesVersion(served: Served, type: ResourceType, version: string): boolean {
  return versionsOf(served, type).includes(version);
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
export function groupList(served: Served): object {
  const here = servedTypes(served.store).filter((type) => versionsOf(served, type).length > 0);
  const groups = new Set(here.map((type) => type.group));
  groups.delete('');
  for (const group of Object.keys(REVIEWS)) groups.add(group);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...groups].map((group) => groupEntry(served, group)) };
}

/** GET /apis/GROUP; undefined when there is none. */
export function groupDocument(served: Served, group: string): object | undefined {
  if (!(group in REVIEWS) && !servedTypes(served.store).some((type) => type.group === group && versionsOf(served, type).length > 0))
    return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(served, group) };
}

function groupEntry(served: Served, group: string): object {
  const here = servedTypes(served.store).filter((type) => type.group === group);
  const versions = [...new Set(here.flatMap((type) => versionsOf(served, type)))].sort(byStability);
  if (versions.length === 0) versions.push('v1');
  const entries = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

function versionsOf({ store, serverVersion }: Served, type: ResourceType): string[] {
  const definition = isCustom(type) ? store.get('customresourcedefinitions', typeKey(type)) : undefined;
  const newer = newerVersions(type, serverVersion);
  if (newer) return newer;
  if (!definition) return [type.version, ...olderVersions(type, serverVersion).map(({ version }) => version)];
  const versions: CustomVersion[] = definition.spec?.versions ?? [];
  return versions.filter((version) => version.served).map((version) => version.name);
}

/** v2 before v1 before v1beta2 before v1alpha1. */
function byStability(left: string, right: string): number {
  const rank = (version: string): number => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (!match) return -1;
    const level = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
    return level * 1e6 + Number(match[1]) * 1e3 + Number(match[3] ?? 0);
  };
  return rank(right) - rank(left);
}

/** GET /api/v1, /apis/GROUP/VERSION; undefined when there is none. */
export function resourceList(served: Served, group: string, version: string): object | undefined {
  const groupVersion = apiVersionOf({ group, version });
  const reviews = version === 'v1' ? REVIEWS[group] : undefined;
  if (reviews) return list(groupVersion, reviews.map(reviewEntry));
  const types = servedTypes(served.store).filter((type) => type.group === group && servesVersion(served, type, version));
  return types.length === 0 ? undefined : list(groupVersion, types.flatMap(entriesOf));
}

function list(groupVersion: string, resources: object[]): object {
  return { kind: 'APIResourceList', ...(groupVersion === 'v1' ? {} : { apiVersion: 'v1' }), groupVersion, resources };
}

/** Kinds that are only ever created, by group. */
const REVIEWS: Record<string, string[]> = {
  'authorization.k8s.io': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
  'authentication.k8s.io': ['SelfSubjectReview'],
};

function reviewEntry(kind: string): object {
  const singularName = kind.toLowerCase();
  return { name: `${singularName}s`, singularName, namespaced: false, kind, verbs: ['create'] };
}

function entriesOf(type: ResourceType): object[] {
  const { plural, kind, namespaced, shortNames } = type;
  const custom = isCustom(type);
  const categories = custom ? type.categories : CATEGORIES[plural];
  const verbs = custom ? CUSTOM_VERBS : plural === 'namespaces' ? VERBS.filter((verb) => verb !== 'deletecollection') : VERBS;
  const own = {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
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
