/** Facts of EKS Auto Mode: its NodePools, which Karpenter's own controller does not see. */
import type { AutoModePoolFact, BudgetEntry } from '../../domain/facts.ts';
import { freezeFacts } from '../kubernetes/karpenter/freeze-nodes.ts';
import { AUTO_MODE_GROUP, classGroupOf, isBuiltIn, NODE_POOLS, POOL } from '../kubernetes/karpenter/pools.ts';
import type { ClusterNode, NodePool } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { ownedBy } from './karpenter.ts';
import type { Reader } from './reader.ts';

type Pool = NodePool & { spec?: { disruption?: { budgets?: BudgetEntry[] | null } } };

/** undefined: they cannot be read, which is said. */
export async function readAutoModePools(
  kubernetes: KubernetesPort,
  reader: Reader,
  nodes: readonly ClusterNode[],
): Promise<AutoModePoolFact[] | undefined> {
  const read = (): Promise<Pool[] | undefined> => kubernetes.list<Pool>(NODE_POOLS);
  const pools = await reader.attempt('the NodePools of EKS Auto Mode', 'list on nodepools.karpenter.sh', read, undefined);
  return pools
    ?.filter((pool) => classGroupOf(pool) === AUTO_MODE_GROUP)
    .map((pool) => {
      const { name } = pool.metadata;
      return {
        name,
        builtIn: isBuiltIn(pool),
        budgets: pool.spec?.disruption?.budgets ?? undefined,
        nodeCount: nodes.filter((node) => node.metadata.labels?.[POOL] === name).length,
        ...ownedBy(pool),
        ...freezeFacts(pool, nodes),
      };
    });
}
