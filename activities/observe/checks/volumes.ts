/** Volumes that a replaced node did not let go of: pods that want them wait elsewhere, with a Multi-Attach error. */
import type { Finding, Skipped } from '../../../domain/core/findings.ts';
import { someOf } from '../../../domain/core/text.ts';
import { NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import type { ClusterNode, VolumeAttachment } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';
import { accepted } from './skipped.ts';

const ATTACHMENTS = { apiVersion: 'storage.k8s.io/v1', plural: 'volumeattachments' };

/** `skipped`: by people in this run, also volumes that they chose to continue without. */
export async function checkVolumes(kubernetes: KubernetesPort, skipped: readonly Skipped[] = []): Promise<Finding[]> {
  let attachments: VolumeAttachment[];
  let nodes: ClusterNode[];
  try {
    // Nodes last: one that comes in between has no attachment yet.
    attachments = (await kubernetes.list<VolumeAttachment>(ATTACHMENTS)) ?? [];
    nodes = (await kubernetes.list<ClusterNode>(NODES, slimNode)) ?? [];
  } catch (error) {
    return [unknownWhereDenied('K8S107', error, 'listing volume attachments', 'list on volumeattachments.storage.k8s.io')];
  }
  const present = new Set(nodes.map(({ metadata }) => metadata.name));
  const gone = attachments.flatMap(({ metadata, spec }) =>
    spec?.nodeName === undefined || present.has(spec.nodeName)
      ? []
      : [{ node: spec.nodeName, name: `${spec.source?.persistentVolumeName ?? metadata.name} on ${spec.nodeName}` }],
  );
  const bySkip = Map.groupBy(gone, ({ node }) => skipped.find(({ nodes = [] }) => nodes.includes(node)));
  const told = [...bySkip].flatMap(([of, lost]) => (of === undefined ? [] : [accepted(of, about(lost.map(({ name }) => name)))]));
  return [...told, about((bySkip.get(undefined) ?? []).map(({ name }) => name))];
}

const about = (lost: readonly string[]): Finding =>
  findingUnless('K8S107', lost, {
    pass: 'Every attached volume is on a node that is there.',
    fail: `Attached to a node that is gone: ${someOf(lost)}. Pods that want them cannot start elsewhere.`,
    remediation: 'See whether the instance is really gone; then delete the VolumeAttachment (kubectl get volumeattachments).',
  });
