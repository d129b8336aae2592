/** Which NodePools belong to Karpenter on AWS. */
import type { KubernetesPort, ResourceRef } from '../../ports.ts';
import { listServed } from '../lists.ts';
import type { NodePool } from '../shapes.ts';

/** EC2NodeClass of Karpenter itself, NodeClass of EKS Auto Mode. */
const NODE_CLASS_GROUPS = ['karpenter.k8s.aws', 'eks.amazonaws.com'];

export const poolRef = (name: string): ResourceRef => ({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name });

/** All NodePools. Whoever asks has a plan with pools in it: a server that does not know the type has a problem, not an empty list. */
export async function listPools(port: KubernetesPort): Promise<NodePool[]> {
  return await listServed<NodePool>(port, { apiVersion: 'karpenter.sh/v1', plural: 'nodepools' });
}

/** Pools that launch EC2 instances. `group` may be absent up to Karpenter 1.0. */
export function isAwsPool(pool: NodePool): boolean {
  const group = pool.spec?.template?.spec?.nodeClassRef?.group;
  return group === undefined || NODE_CLASS_GROUPS.includes(group);
}
