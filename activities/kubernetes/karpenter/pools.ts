/** Which NodePools belong to Karpenter on AWS. */
import type { KubernetesPort, ResourceRef } from '../../ports.ts';
import type { NodePool } from '../shapes.ts';

/** EC2NodeClass of Karpenter itself, NodeClass of EKS Auto Mode. */
const NODE_CLASS_GROUPS = ['karpenter.k8s.aws', 'eks.amazonaws.com'];

export const poolRef = (name: string): ResourceRef => ({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name });

/** All NodePools; an empty list where the cluster has no Karpenter. */
export async function listPools(port: KubernetesPort): Promise<NodePool[]> {
  return (await port.list<NodePool>({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools' })) ?? [];
}

/** Pools that launch EC2 instances. `group` may be absent up to Karpenter 1.0. */
export function isAwsPool(pool: NodePool): boolean {
  const group = pool.spec?.template?.spec?.nodeClassRef?.group;
  return group === undefined || NODE_CLASS_GROUPS.includes(group);
}
