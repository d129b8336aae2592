/** Who owns a node: a node group, Karpenter, Fargate, somebody's own machines (EKS Hybrid Nodes) or nobody that EKS knows. */
import type { ClusterNode } from '../../clients/kubernetes/objects.ts';
import type { KubeletFact } from '../../../domain/facts/facts.ts';
import type { Instance } from '../../../domain/readiness/model/evidence.ts';

/** Label of nodes and NodeClaims: their NodePool's name. */
export const POOL = 'karpenter.sh/nodepool';

/** The same label on nodes of v1alpha5's Machines. */
export const OLD_POOL = 'karpenter.sh/provisioner-name';

export function ownerOfNode(node: ClusterNode): KubeletFact['owner'] {
  const labels = node.metadata.labels ?? {};
  const compute = labels['eks.amazonaws.com/compute-type'];
  if (compute === 'fargate') return 'fargate';
  if (compute === 'auto') return 'auto-mode';
  if (compute === 'hybrid') return 'hybrid';
  if (labels[POOL] !== undefined || labels[OLD_POOL] !== undefined) return 'karpenter';
  if (labels['eks.amazonaws.com/nodegroup'] !== undefined) return 'node-group';
  return 'self-managed';
}

/**
 * Its type and vCPUs, and whether it is Spot: Karpenter, Auto Mode and EKS write how an instance is paid; without a word it is On-Demand. undefined: no
 * instance of EC2, or one in reserved capacity, which counts against no quota when it is replaced there.
 */
export function instanceOfNode({ metadata: { labels = {} }, status }: ClusterNode): Instance | undefined {
  const type = labels['node.kubernetes.io/instance-type'];
  const paid = (labels['karpenter.sh/capacity-type'] ?? labels['eks.amazonaws.com/capacityType'] ?? 'on-demand').toLowerCase();
  if (type === undefined || paid === 'reserved' || paid === 'capacity_block') return undefined;
  const vcpus = Number(status?.capacity?.cpu);
  return { type, spot: paid === 'spot', ...(vcpus > 0 ? { vcpus } : {}) };
}
