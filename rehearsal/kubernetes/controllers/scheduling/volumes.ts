/** Where a pod's volumes let it go: an EBS volume is in one zone (kubernetes pkg/scheduler/framework/plugins: volumebinding, volumezone). */
import type { KubeObject, ObjectStore } from '../../store.ts';
import { matchesTerm, type NodeSelectorTerm } from '../placement.ts';
import type { Verdict } from './neighbours.ts';

const ZONES = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const CONFLICT = 'node(s) had volume node affinity conflict';

interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: object;
}

/** Volumes of the pod that are bound. A claim which waits for its first pod binds nothing yet. */
export function volumesOf(store: ObjectStore, pod: KubeObject): KubeObject[] {
  const volumes: Volume[] = pod.spec?.volumes ?? [];
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    const claim = claimName === undefined ? undefined : store.get('persistentvolumeclaims', claimName, pod.metadata.namespace);
    const volume: string | undefined = claim?.spec?.volumeName;
    return (volume === undefined ? undefined : store.get('persistentvolumes', volume)) ?? [];
  });
}

/** undefined: the pod has no volume that is bound to a place. */
export function volumePlaces(store: ObjectStore, pod: KubeObject): Verdict | undefined {
  if ((pod.spec?.volumes ?? []).length === 0) return undefined;
  const bound = volumesOf(store, pod);
  return bound.length === 0 ? undefined : (node) => (bound.every((volume) => reaches(volume, node)) ? undefined : CONFLICT);
}

function reaches(volume: KubeObject, node: KubeObject): boolean {
  const terms: NodeSelectorTerm[] | undefined = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
  if (terms !== undefined && !terms.some((term) => matchesTerm(term, node))) return false;
  return ZONES.every((key) => {
    // "__" between several zones of a regional volume.
    const zones = volume.metadata.labels?.[key]?.split('__');
    const zone = node.metadata.labels?.[key];
    return zones === undefined || zone === undefined || zones.includes(zone);
  });
}
