/** A volume that stays attached to one node while its pod is wanted on another: the new pod waits in ContainerCreating. */
import { FAULT_ANNOTATION } from '../../kubernetes/controllers/kubelet.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../world.ts';

const ATTACHMENT = 'csi-attached-elsewhere';
/** On the attachment: `namespace/app` of the pods that want the volume. */
const WANTED_BY = 'twin.belay.dev/wanted-by';
/** The kubelet does not start a pod with this value of its fault annotation. */
export const VOLUME_ELSEWHERE = 'volume-attached-elsewhere';

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? 'default'}/${metadata.labels?.['app'] ?? ''}`;

/** Attaches a volume to the pod's node for good, and ends the pod: the next one of its workload cannot have it. */
export function attachElsewhere(world: World, pod: KubeObject): void {
  world.store.create('volumeattachments', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: ATTACHMENT, annotations: { [WANTED_BY]: keyOf(pod) } },
    spec: { attacher: 'ebs.csi.aws.com', nodeName: pod.spec?.nodeName, source: { persistentVolumeName: 'pvc-0a11aa11' } },
    status: { attached: true },
  });
  world.store.delete('pods', pod.metadata.name, pod.metadata.namespace);
  world.journal.tell(`a volume of ${keyOf(pod)} stays attached to ${String(pod.spec?.nodeName)}: Multi-Attach error`);
}

/** The volume lets go: pods that waited for it start. */
export function detach(world: World): void {
  if (world.store.get('volumeattachments', ATTACHMENT) !== undefined) world.store.delete('volumeattachments', ATTACHMENT);
  for (const { metadata } of world.store.list('pods').filter((pod) => pod.metadata.annotations?.[FAULT_ANNOTATION] === VOLUME_ELSEWHERE)) {
    world.store.update('pods', metadata.name, metadata.namespace, (copy) => {
      const { [FAULT_ANNOTATION]: _fault, ...others } = copy.metadata.annotations ?? {};
      copy.metadata.annotations = others;
    });
  }
}

/** Marks a new pod whose volume is attached elsewhere. */
export function waitForVolume(world: World, pod: KubeObject): void {
  const attachment = world.store.get('volumeattachments', ATTACHMENT);
  if (attachment?.metadata.annotations?.[WANTED_BY] !== keyOf(pod)) return;
  pod.metadata.annotations = { ...pod.metadata.annotations, [FAULT_ANNOTATION]: VOLUME_ELSEWHERE };
}
