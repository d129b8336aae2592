/** Puts the recorded objects into a world's store as they are. What the twin's controllers would make is there already, so they adopt it. */
import type { Snapshot, SnapshotKubeObject } from '../../../../domain/facts/snapshot/format.ts';
import type { KubeObject, ObjectStore } from '../../../kubernetes/store.ts';
import { adoptRevisions } from './adopt.ts';
import { completed } from './complete.ts';
import { NEWER_TYPES } from '../../../kubernetes/newer-types.ts';
import { BUILT_IN_TYPES } from '../../../kubernetes/types.ts';
import { DEFINITIONS, keyOf, type RecordedList, recordedLists, standInDefinition } from './lists.ts';
import { missingSets } from './missing-sets.ts';

/** Controllers look for the definitions of custom types, also of those that the store knows. */
function lacksDefinition(store: ObjectStore, { group, plural }: RecordedList): boolean {
  const builtIn = [...BUILT_IN_TYPES, ...NEWER_TYPES].some((type) => type.group === group && type.plural === plural);
  return !builtIn && store.get(DEFINITIONS, `${plural}.${group}`) === undefined;
}

export function loadObjects(store: ObjectStore, snapshot: Snapshot): void {
  let serial = 0;
  const put = (key: string, plural: string, object: SnapshotKubeObject | KubeObject): void => {
    serial += 1;
    store.load?.(key, completed(plural, object, serial));
  };
  for (const list of recordedLists(snapshot)) {
    if (list.objects.length === 0) continue;
    if (lacksDefinition(store, list)) store.create(DEFINITIONS, standInDefinition(list));
    for (const object of list.objects) put(keyOf(list), list.plural, object);
  }
  for (const set of missingSets(snapshot)) put('replicasets.apps', 'replicasets', set);
  adoptRevisions(store);
}
