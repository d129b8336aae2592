/**
 * Volumes that a replaced node has not let go of: the pods that want them wait elsewhere with a Multi-Attach error, and a budget of theirs holds up
 * the next nodes.
 */
import { failureType } from '../../runtime/translate-errors.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { NODES, slimNode } from '../objects/lists.ts';
import { type ClusterNode, nameOf, type PersistentVolume, type Pod, type VolumeAttachment } from '../../clients/kubernetes/objects.ts';
import type { DriftView, Hold } from './draining-nodes.ts';
import { defined } from '../../../domain/core/defined.ts';

export const ATTACHMENTS = { apiVersion: 'storage.k8s.io/v1', plural: 'volumeattachments' };
export const VOLUMES = { apiVersion: 'v1', plural: 'persistentvolumes' };

export async function findVolumeHolds(port: KubernetesPort, { known, ignored }: DriftView): Promise<Hold[]> {
  const attachments = await listUnlessDenied<VolumeAttachment>(port, ATTACHMENTS);
  const elsewhere = new Map<string, string>();
  for (const { metadata, spec } of attachments) {
    const node = spec?.nodeName;
    if (node !== undefined && !known.has(node) && !ignored.has(node))
      elsewhere.set(node, spec?.source?.persistentVolumeName ?? metadata.name);
  }
  if (elsewhere.size === 0) return [];
  // Nodes of others and new ones: read after the attachments, so that one that comes in between is among them.
  const nodes = (await port.list<ClusterNode>(NODES, slimNode)) ?? [];
  for (const { metadata } of nodes) elsewhere.delete(metadata.name);
  const holds: Hold[] = [];
  for (const [name, volume] of elsewhere) {
    const pod = await podThatWants(port, volume);
    const waits = pod === undefined ? 'pods that want it cannot start elsewhere' : `pod ${nameOf(pod)} cannot start elsewhere`;
    holds.push({
      node: { name, nodePool: '', drifted: false, leaving: true, heldByAnnotation: false },
      key: `volume ${volume}`,
      lasting: true,
      gone: true,
      reason: `volume ${volume} is still attached to this node, which is gone: ${waits} (Multi-Attach). See whether the instance is really gone; then delete the VolumeAttachment (kubectl get volumeattachments)`,
      ...defined({ pod }),
    });
  }
  return holds;
}

/** The first pod with the volume's claim that does not run. */
async function podThatWants(port: KubernetesPort, volume: string): Promise<Pod | undefined> {
  const volumes = await listUnlessDenied<PersistentVolume>(port, VOLUMES);
  const claim = volumes.find(({ metadata }) => metadata.name === volume)?.spec?.claimRef;
  if (claim?.name === undefined || claim.namespace === undefined) return undefined;
  const pods = (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace: claim.namespace })) ?? [];
  return pods.find(
    ({ spec, status }) =>
      status?.phase === 'Pending' && spec?.volumes?.some((each) => each.persistentVolumeClaim?.claimName === claim.name) === true,
  );
}

/** Without the right the validation's check K8S107 says which one is missing. */
export async function listUnlessDenied<T extends VolumeAttachment | PersistentVolume>(
  port: KubernetesPort,
  what: { apiVersion: string; plural: string },
): Promise<T[]> {
  try {
    return (await port.list<T>(what)) ?? [];
  } catch (error) {
    if (failureType(error) === 'AccessDenied') return [];
    throw error;
  }
}
