/** Checks of Karpenter's pools, classes, claims and freeze: pure, from facts. */
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { agree, someOf } from '../../../domain/core/text.ts';
import { finding, findingUnless } from './catalogue.ts';
import { stopsDriftForGood } from '../../../domain/facts/node-classes.ts';

export function checkKarpenterReady({ karpenter, unknowns }: ClusterFacts): Finding[] {
  if (karpenter === undefined) return [];
  const down = [
    ...karpenter.nodePools.filter((pool) => !pool.ready).map((pool) => `NodePool ${pool.name}`),
    ...karpenter.nodeClasses.filter((nodeClass) => !nodeClass.ready).map((nodeClass) => `EC2NodeClass ${nodeClass.name}`),
  ];
  if (down.length > 0) {
    return [
      finding('KAR002', {
        status: 'fail',
        message: `${someOf(down)} ${agree(down.length, 'is', 'are')} not ready.`,
        resources: down,
        remediation: 'Read their status conditions (kubectl describe) and repair them: without them no node can be replaced.',
      }),
    ];
  }
  const blind = unknowns.find(({ part }) => part === 'node-pools' || part === 'node-classes');
  if (blind !== undefined) return [finding('KAR002', { status: 'unknown', message: `${blind.what} cannot be seen: ${blind.why}.` })];
  return [finding('KAR002', { status: 'pass', message: 'All NodePools and EC2NodeClasses are ready.' })];
}

/** Karpenter's pools, and Auto Mode's. */
function freezable({ karpenter, autoModePools }: ClusterFacts) {
  return [...(karpenter?.nodePools ?? []), ...(autoModePools ?? [])];
}

/** A pool that carries a guard must be held as well, by its budgets or on its nodes; where nothing is frozen there is nothing to check. */
export function checkFreezeHolds(facts: ClusterFacts): Finding[] {
  const frozen = freezable(facts).filter((pool) => pool.frozenBy !== undefined);
  if (frozen.length === 0) return [];
  const stands = ({ freezeStands, budgets = [] }: (typeof frozen)[number]): boolean => freezeStands ?? budgets.some(stopsDriftForGood);
  const thawed = frozen.filter((pool) => !stands(pool)).map((pool) => `NodePool ${pool.name}`);
  return [
    findingUnless('KAR101', thawed, {
      pass: `${frozen.length} NodePools are frozen.`,
      fail: `The freeze was removed from ${someOf(thawed)}.`,
      remediation: 'Find who reverts it (GitOps?): nodes may be replaced without approval until it is restored.',
    }),
  ];
}

/** At the end of a run no pool is frozen any more, unless people chose to keep it so. */
export function checkNoFreezeLeft(facts: ClusterFacts): Finding[] {
  if (facts.karpenter === undefined && facts.autoModePools === undefined) return [];
  const frozen = freezable(facts)
    .filter((pool) => pool.frozenBy !== undefined)
    .map((pool) => `NodePool ${pool.name}`);
  return [
    findingUnless('KAR102', frozen, {
      pass: 'No NodePool is frozen.',
      fail: `${someOf(frozen)} still ${agree(frozen.length, 'carries', 'carry')} Belay's freeze.`,
      remediation: 'The report says why it was kept and how to lift it.',
    }),
  ];
}

/** AMIs that are still pinned at the end keep nodes at an old version without anybody noticing. */
export function checkNoHoldLeft({ karpenter }: ClusterFacts): Finding[] {
  if (karpenter === undefined) return [];
  const held = karpenter.nodeClasses.filter((nodeClass) => nodeClass.heldAlias !== undefined).map(({ name }) => `EC2NodeClass ${name}`);
  return [
    findingUnless('KAR103', held, {
      pass: 'No EC2NodeClass is pinned by Belay.',
      fail: `${someOf(held)} ${agree(held.length, 'is', 'are')} still pinned to the AMIs of an earlier run.`,
      remediation: 'Put the alias of annotation belay.dev/ami-before back into amiSelectorTerms, then remove the annotation.',
    }),
  ];
}
