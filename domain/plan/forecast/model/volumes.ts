/** Where the volumes of pods are, which is where the pods have to run. */
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { type ClaimedVolume, type PodObject, read, type VolumeObject } from './objects.ts';
import { HOSTNAME, ZONE } from './selectors.ts';

export interface PodVolumes {
  /** Zones by name; undefined: anywhere. */
  zones: string[] | undefined;
  /** Claims with a volume that is attached to one node at a time. */
  count: number;
  /** A volume of the node's own: nothing else may run the pod. */
  hostBound: boolean;
}

const NONE: PodVolumes = { zones: undefined, count: 0, hostBound: false };
const EBS = 'ebs.csi.aws.com';
const ZONE_KEYS = [ZONE, 'topology.ebs.csi.aws.com/zone', 'failure-domain.beta.kubernetes.io/zone'];

/** Of a pod by its claims. */
export function readVolumes(snapshot: Snapshot): (pod: PodObject) => PodVolumes {
  const volumes = new Map((read<VolumeObject>(snapshot, 'v1', 'persistentvolumes') ?? []).map((each) => [each.metadata.name, each]));
  const claims = new Map(
    (read<ClaimedVolume>(snapshot, 'v1', 'persistentvolumeclaims') ?? []).map(({ metadata, spec }) => [
      `${metadata.namespace}/${metadata.name}`,
      spec?.volumeName,
    ]),
  );
  return ({ metadata, spec }) => {
    if (spec?.volumes === undefined) return NONE;
    const found: PodVolumes = { zones: undefined, count: 0, hostBound: false };
    for (const { persistentVolumeClaim, ephemeral, name } of spec.volumes) {
      const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
      const volume = claim === undefined ? undefined : volumes.get(claims.get(`${metadata.namespace}/${claim}`) ?? '');
      if (volume === undefined) continue;
      if (volume.spec?.csi?.driver === undefined || volume.spec.csi.driver === EBS) found.count += 1;
      const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
      const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
      if (expressions.some(({ key }) => key === HOSTNAME) || volume.spec?.local !== undefined) found.hostBound = true;
      const zones = expressions.filter(({ key }) => ZONE_KEYS.includes(key)).flatMap(({ values = [] }) => values);
      if (zones.length > 0) found.zones = found.zones === undefined ? zones : found.zones.filter((zone) => zones.includes(zone));
    }
    return found;
  };
}
