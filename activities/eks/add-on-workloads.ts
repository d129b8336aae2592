/** The workloads behind EKS's add-ons: which they are, whether they have rolled, and which version they run. */
import { tryComponentVersion } from '../../domain/core/component-version.ts';
import { PLURALS, rolloutLack } from '../kubernetes/objects/rollout.ts';
import { listServed, NODES, slimNode } from '../kubernetes/objects/lists.ts';
import { nowOf } from '../kubernetes/objects/server-time.ts';
import { type ClusterNode, isTrue, type Workload } from '../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../contract/ports.ts';

interface WorkloadName {
  kind: 'DaemonSet' | 'Deployment';
  name: string;
}

/** In kube-system. Add-ons that are not listed are judged by EKS's own health alone. */
const WORKLOADS: Readonly<Record<string, readonly WorkloadName[]>> = {
  'vpc-cni': [{ kind: 'DaemonSet', name: 'aws-node' }],
  'kube-proxy': [{ kind: 'DaemonSet', name: 'kube-proxy' }],
  coredns: [{ kind: 'Deployment', name: 'coredns' }],
  'aws-ebs-csi-driver': [
    { kind: 'Deployment', name: 'ebs-csi-controller' },
    { kind: 'DaemonSet', name: 'ebs-csi-node' },
  ],
  'aws-efs-csi-driver': [
    { kind: 'Deployment', name: 'efs-csi-controller' },
    { kind: 'DaemonSet', name: 'efs-csi-node' },
  ],
  'eks-pod-identity-agent': [{ kind: 'DaemonSet', name: 'eks-pod-identity-agent' }],
  'metrics-server': [{ kind: 'Deployment', name: 'metrics-server' }],
};

/** The three that exist on clusters whether or not EKS manages them. */
export const SELF_MANAGED_CANDIDATES = ['vpc-cni', 'kube-proxy', 'coredns'] as const;

export interface AddOnWorkload {
  kind: WorkloadName['kind'];
  object: Workload;
}

/** Those that are there. */
export async function readAddOnWorkloads(kubernetes: KubernetesPort, addOn: string): Promise<AddOnWorkload[]> {
  const found: AddOnWorkload[] = [];
  for (const { kind, name } of WORKLOADS[addOn] ?? []) {
    const ref = { apiVersion: 'apps/v1', plural: PLURALS[kind], namespace: 'kube-system', name };
    const object = await kubernetes.get<Workload>(ref);
    if (object !== undefined) found.push({ kind, object });
  }
  return found;
}

/** What is left until every workload has rolled; undefined: nothing. */
export async function rolloutLeft(kubernetes: KubernetesPort, workloads: readonly AddOnWorkload[]): Promise<string | undefined> {
  for (const workload of workloads) {
    const { kind, object } = workload;
    const lack = rolloutLack(kind, object);
    if (lack !== undefined && !(await waitsForNodes(kubernetes, workload))) return `${object.metadata.name}: ${lack}`;
  }
  return undefined;
}

/** More of a DaemonSet's pods than this are never excused by their nodes. */
const EXCUSED_SHARE = 0.1;
/** A node that has just come starts its pods for a while. */
const NEW_NODE_MS = 10 * 60_000;

/**
 * Large clusters have a node that is not Ready, or has just come, at nearly every look: a DaemonSet whose pods lack on no more nodes than that has rolled
 * wherever it can.
 */
async function waitsForNodes(kubernetes: KubernetesPort, { kind, object: { metadata, status = {} } }: AddOnWorkload): Promise<boolean> {
  if (kind !== 'DaemonSet' || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return false;
  const wanted = status.desiredNumberScheduled ?? 0;
  const lacking = wanted - Math.min(status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0);
  if (lacking > wanted * EXCUSED_SHARE) return false;
  const nodes = await listServed<ClusterNode>(kubernetes, NODES, slimNode);
  const nowMs = nowOf(kubernetes);
  const isUnsettled = (node: ClusterNode): boolean =>
    !isTrue(node, 'Ready') ||
    node.metadata.deletionTimestamp !== undefined ||
    nowMs - Date.parse(node.metadata.creationTimestamp ?? '') < NEW_NODE_MS;
  return lacking <= nodes.filter(isUnsettled).length;
}

/** The version in the first image's tag: "v1.33.3-eksbuild.4" of "…/kube-proxy:v1.33.3-minimal-eksbuild.4". undefined: a digest or no tag. */
export function addOnImageVersion({ object }: AddOnWorkload): string | undefined {
  const image = object.spec?.template?.spec?.containers?.[0]?.image;
  const tag = image === undefined ? undefined : /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1];
  if (tag === undefined || tryComponentVersion(tag) === undefined) return undefined;
  return tag.replace(/-(?:minimal|default)(?=-eksbuild)/, '');
}
