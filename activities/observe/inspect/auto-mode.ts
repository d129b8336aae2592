/** Facts of EKS Auto Mode: its NodePools, which Karpenter's own controller does not see. */
import type { AutoModePoolFact, BudgetEntry } from '../../../domain/facts/facts.ts';
import { freezeFacts } from '../../karpenter/freeze/by-annotation.ts';
import { AUTO_MODE_GROUP, classGroupOf, isBuiltIn, NODE_POOLS } from '../../karpenter/objects/node-pools.ts';
import type { ClusterNode, NodePool } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { ownedBy } from './karpenter.ts';
import type { Reader } from '../../runtime/reader.ts';
import { DO_NOT_DISRUPT } from '../../kubernetes/drain/draining-nodes.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

/** Nodes that are named; of the others there is a count. */
const NAMED = 5;

type Pool = NodePool & { spec?: { disruption?: { budgets?: BudgetEntry[] | null } } };

/** undefined: they cannot be read, which is said. */
export async function readAutoModePools(
  kubernetes: KubernetesPort,
  reader: Reader,
  nodes: readonly ClusterNode[],
): Promise<AutoModePoolFact[] | undefined> {
  const read = (): Promise<Pool[] | undefined> => kubernetes.list<Pool>(NODE_POOLS);
  const pools = await reader.attempt(
    { part: 'auto-mode-pools', what: 'the NodePools of EKS Auto Mode' },
    'list on nodepools.karpenter.sh',
    read,
    undefined,
  );
  return pools
    ?.filter((pool) => classGroupOf(pool) === AUTO_MODE_GROUP)
    .map((pool) => {
      const { name } = pool.metadata;
      const own = nodes.filter((node) => node.metadata.labels?.[POOL] === name);
      const marked = own.filter(({ metadata }) => metadata.annotations?.[DO_NOT_DISRUPT] === 'true').map(({ metadata }) => metadata.name);
      return {
        name,
        builtIn: isBuiltIn(pool),
        budgets: pool.spec?.disruption?.budgets ?? undefined,
        nodeCount: own.length,
        ...(marked.length === 0 ? {} : { markedNodes: { count: marked.length, names: marked.slice(0, NAMED) } }),
        ...ownedBy(pool),
        ...freezeFacts(pool, nodes),
      };
    });
}
