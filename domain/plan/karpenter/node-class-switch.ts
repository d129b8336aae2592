/** NodePools that belay.yaml points at another EC2NodeClass: what a plan takes them for from then on. */
import { amiFamilyOf } from '../../facts/ami-names.ts';
import type { ClusterFacts, NodeClassFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { aliasOf } from '../../facts/node-classes.ts';
import { defined } from '../../core/defined.ts';

/** The facts with the pools at their new classes, and with what is switched. Pools that are there already need nothing. */
export function withSwitches(facts: ClusterFacts, { karpenter: { switchNodeClass = [] } }: Pick<UpgradePolicy, 'karpenter'>): ClusterFacts {
  const { karpenter } = facts;
  if (karpenter === undefined || switchNodeClass.length === 0) return facts;
  const ofPool = (name: string) => karpenter.nodePools.find((pool) => pool.name === name);
  const switches = switchNodeClass
    // What an earlier run has switched and not seen through is taken over.
    .filter(({ nodePool, to }) => ofPool(nodePool)?.nodeClass !== to || ofPool(nodePool)?.classBefore !== undefined)
    .map(({ nodePool, to }) => {
      const { nodeClass = '', classBefore, deliveredBy: owner } = ofPool(nodePool) ?? {};
      return { nodePool, from: classBefore ?? nodeClass, to, ...defined({ owner }) };
    });
  const nodePools = karpenter.nodePools.map((pool) => ({
    ...pool,
    nodeClass: switches.find((s) => s.nodePool === pool.name)?.to ?? pool.nodeClass,
  }));
  return { ...facts, karpenter: { ...karpenter, nodePools, switches } };
}

/** "AL2023", "Bottlerocket": what kind of images a class boots. undefined: not known. */
export function familyOf(nodeClass: NodeClassFact): string | undefined {
  return nodeClass.amiFamily ?? amiFamilyOf(aliasOf(nodeClass) ?? '');
}
