/** Karpenter 1.0.6 to the last 1.0 store every object as v1, and say so in the definitions (controllers migration.resource and migration.crd). */
import type { World } from '../../../world/world.ts';
import { MIGRATED_ANNOTATION } from './conversion.ts';

const GROUPS = ['karpenter.sh', 'karpenter.k8s.aws'];

/** One round: objects that have no mark get one, which writes them; a definition of which all have it is through. */
export function migrateStoredVersions(world: World): void {
  for (const { metadata, spec, status } of world.store.list('customresourcedefinitions')) {
    const stored: string[] = status?.storedVersions ?? [];
    const storage = (spec.versions ?? []).find((version: { storage?: boolean }) => version.storage)?.name;
    if (!GROUPS.includes(spec.group) || !stored.includes('v1beta1') || storage !== 'v1') continue;
    const unmarked = world.store.list(metadata.name).filter((object) => object.metadata.annotations?.[MIGRATED_ANNOTATION] === undefined);
    for (const object of unmarked) {
      world.store.update(metadata.name, object.metadata.name, undefined, (copy) => {
        copy.metadata.annotations = { ...copy.metadata.annotations, [MIGRATED_ANNOTATION]: 'true' };
      });
    }
    if (unmarked.length > 0) continue;
    world.store.update('customresourcedefinitions', metadata.name, undefined, (copy) => void (copy.status.storedVersions = ['v1']));
    world.journal.tell(`Karpenter has stored all ${spec.names.plural} as v1`);
  }
}
