/** Which of the recorded lists a world is made of: a type that is served in several versions was read in each of them. */
import type { Snapshot, SnapshotKubeObject } from '../../../../domain/facts/snapshot/format.ts';
import { listKey } from '../../../../domain/facts/snapshot/format.ts';
import type { ResourceType } from '../../../kubernetes/store.ts';
import { apiVersionOf, groupOf, typeFromDefinition } from '../../../kubernetes/types.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';

export interface RecordedList {
  group: string;
  apiVersion: string;
  plural: string;
  objects: readonly SnapshotKubeObject[];
}

export const DEFINITIONS = 'customresourcedefinitions';
const DEFINITION_API = 'apiextensions.k8s.io/v1';

export const definitionsOf = (snapshot: Snapshot): SnapshotKubeObject[] => snapshot.objects.get(listKey(DEFINITION_API, DEFINITIONS)) ?? [];

/** Definitions first: other lists are of their types. Of several versions the one in which objects are stored. */
export function recordedLists(snapshot: Snapshot): RecordedList[] {
  const storage = new Map<string, string>();
  for (const definition of definitionsOf(snapshot)) {
    const type = typeFromDefinition(definition);
    if (type !== undefined) storage.set(`${type.plural}.${type.group}`, apiVersionOf(type));
  }
  const chosen = new Map<string, RecordedList>();
  for (const { apiVersion, plural, outcome } of snapshot.lists) {
    if (outcome !== 'read') continue;
    const group = groupOf(apiVersion);
    const key = `${plural}.${group}`;
    if (chosen.has(key) && storage.get(key) !== apiVersion) continue;
    chosen.set(key, { group, apiVersion, plural, objects: snapshot.objects.get(listKey(apiVersion, plural)) ?? [] });
  }
  return [...chosen.values()].toSorted((a, b) => Number(b.plural === DEFINITIONS) - Number(a.plural === DEFINITIONS));
}

/** For a type whose own definition was not read: the least that a server needs to serve it. */
export function standInDefinition({ group, apiVersion, plural, objects }: RecordedList): KubeObject {
  const version = apiVersion.split('/').at(-1) ?? 'v1';
  const [first] = objects;
  const kind = first?.kind ?? plural;
  return {
    apiVersion: DEFINITION_API,
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: first?.metadata.namespace === undefined ? 'Cluster' : 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} } }],
    },
    status: { storedVersions: [version] },
  };
}

/** "pods." of a type that the store has. */
export const keyOf = ({ plural, group }: Pick<ResourceType, 'plural' | 'group'>): string => `${plural}.${group}`;
