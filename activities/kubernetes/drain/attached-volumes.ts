/**
 * Volumes that a drained node has not let go of. An instance that ends before they are detached leaves the attach-detach controller waiting for six minutes,
 * and the pods that want them with a Multi-Attach error (kubernetes/pkg/controller/volume/attachdetach, maxWaitForUnmountDuration). Karpenter waits for
 * them, too (pkg/controllers/node/termination, awaitVolumeDetachment).
 */
import type { KubernetesPort } from '../../contract/ports.ts';
import type { PersistentVolume, Pod, VolumeAttachment } from '../../clients/kubernetes/objects.ts';
import { ATTACHMENTS, listUnlessDenied, VOLUMES } from './volume-blockers.ts';

/** Names of those that none of the pods that stay (of DaemonSets, static ones) has. None where attachments may not be listed. */
export async function attachedVolumes(port: KubernetesPort, node: string, staying: readonly Pod[]): Promise<string[]> {
  const attachments = await listUnlessDenied<VolumeAttachment>(port, ATTACHMENTS);
  const attached = attachments.flatMap(({ metadata, spec }) =>
    spec?.nodeName === node ? [spec.source?.persistentVolumeName ?? metadata.name] : [],
  );
  const claims = new Set(staying.flatMap(claimsOf));
  if (attached.length === 0 || claims.size === 0) return attached;
  const volumes = await listUnlessDenied<PersistentVolume>(port, VOLUMES);
  const kept = new Set(
    volumes.flatMap(({ metadata, spec }) => (claims.has(`${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`) ? [metadata.name] : [])),
  );
  return attached.filter((volume) => !kept.has(volume));
}

/** A generic ephemeral volume has a claim that is named after its pod (Kubernetes documentation, "Ephemeral Volumes"). */
function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
    return claim === undefined ? [] : [`${metadata.namespace}/${claim}`];
  });
}
