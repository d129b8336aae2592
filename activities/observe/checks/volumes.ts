/** Volumes that a replaced node did not let go of: pods that want them wait elsewhere, with a Multi-Attach error. */
import type { Finding } from '../../../domain/core/findings.ts';
import { someOf } from '../../../domain/core/text.ts';
import { NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import type { ClusterNode, VolumeAttachment } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

const ATTACHMENTS = { apiVersion: 'storage.k8s.io/v1', plural: 'volumeattachments' };

export async function checkVolumes(kubernetes: KubernetesPort): Promise<Finding> {
  let attachments: VolumeAttachment[];
  let nodes: ClusterNode[];
  try {
    // Nodes last: one that comes in between has no attachment yet.
    attachments = (await kubernetes.list<VolumeAttachment>(ATTACHMENTS)) ?? [];
    nodes = (await kubernetes.list<ClusterNode>(NODES, slimNode)) ?? [];
  } catch (error) {
    return unknownWhereDenied('K8S107', error, 'listing volume attachments', 'list on volumeattachments.storage.k8s.io');
  }
  const present = new Set(nodes.map(({ metadata }) => metadata.name));
  const lost = attachments
    .filter(({ spec }) => spec?.nodeName !== undefined && !present.has(spec.nodeName))
    .map(({ metadata, spec }) => `${spec?.source?.persistentVolumeName ?? metadata.name} on ${spec?.nodeName ?? 'no node'}`);
  return findingUnless('K8S107', lost, {
    pass: 'Every attached volume is on a node that is there.',
    fail: `Attached to a node that is gone: ${someOf(lost)}. Pods that want them cannot start elsewhere.`,
    remediation: 'See whether the instance is really gone; then delete the VolumeAttachment (kubectl get volumeattachments).',
  });
}
