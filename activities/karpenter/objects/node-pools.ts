/** NodePools: how they are listed, whose they are, and which can be edited. */
import type { KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import type { NodeClaim, NodePool } from '../../clients/kubernetes/objects.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

export const NODE_POOLS = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools' };
export const NODE_CLAIMS = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' };
export const KARPENTER_NODES = { apiVersion: 'v1', plural: 'nodes', labelSelector: POOL };

/** API group of Karpenter's own node classes. */
export const KARPENTER_GROUP = 'karpenter.k8s.aws';
export const EC2_NODE_CLASSES = { apiVersion: `${KARPENTER_GROUP}/v1`, plural: 'ec2nodeclasses' };
/** EKS Auto Mode's. */
export const AUTO_MODE_GROUP = 'eks.amazonaws.com';
export const AUTO_MODE_NODE_CLASSES = { apiVersion: `${AUTO_MODE_GROUP}/v1`, plural: 'nodeclasses' };

export const classRef = (name: string): ResourceRef => ({ ...EC2_NODE_CLASSES, name });
export const poolRef = (name: string): ResourceRef => ({ ...NODE_POOLS, name });

/** All NodePools. Whoever asks has a plan with pools in it: a server that does not know the type has a problem, not an empty list. */
export async function listPools(port: KubernetesPort): Promise<NodePool[]> {
  return await listServed<NodePool>(port, NODE_POOLS);
}

/** Pools whose budgets can be edited, whoever's classes they name: budgets belong to NodePools. */
export const isEditable = (pool: NodePool): boolean => !isBuiltIn(pool);

/** Auto Mode's own pools can be switched on and off, and not be edited (EKS user guide, "Enable or disable built-in NodePools"). */
export function isBuiltIn(pool: NodePool): boolean {
  return classGroupOf(pool) === AUTO_MODE_GROUP && ['general-purpose', 'system'].includes(pool.metadata.name);
}

/** API group of the pool's node class. It may be absent up to Karpenter 1.0, where there was but one. */
export function classGroupOf(pool: NodePool): string {
  return pool.spec?.template?.spec?.nodeClassRef?.group ?? KARPENTER_GROUP;
}

/** API group of the NodeClaim's node class. It may be absent or empty on those that were made as v1beta1, where there was but one. */
export function claimGroupOf({ spec }: NodeClaim): string {
  const { group = '' } = spec?.nodeClassRef ?? {};
  return group === '' ? KARPENTER_GROUP : group;
}

/** The EC2NodeClass from which a NodeClaim was launched; undefined: another provider's class, such as one of Auto Mode, which may have the same name. */
export function ec2ClassOf(claim: NodeClaim): string | undefined {
  return claimGroupOf(claim) === KARPENTER_GROUP ? claim.spec?.nodeClassRef?.name : undefined;
}

/** NodePools whose nodes are meant: none of `ignored`, and where `only` is given none but those. */
export function poolsMeant(ignored: readonly string[], only: readonly string[] | undefined): (pool: string) => boolean {
  return (pool) => !ignored.includes(pool) && (only?.includes(pool) ?? true);
}
