/** Node classes that are pinned to the images in use while control planes move, and let go with the roll. */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import { formatKubernetesVersion, minorDistance, parseKubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import { classesInUse } from './ami-changes.ts';
import type { AmiMove } from '../model/changes.ts';
import { allowedSkew } from '../../facts/version-skew.ts';
import { defined } from '../../core/defined.ts';
import { someOf } from '../../core/text.ts';

const WHY = 'nodes that are launched before the roll stay at the version from before';

/**
 * Of classes that pools use and that choose by alias. `again`: for a later freeze of the same plan, when the images are others: Belay reads its own
 * anew, owners are not asked twice.
 */
export function amiHolds(facts: ClusterFacts, again: boolean): AmiMove[] {
  const { amiHolds: holds = [] } = facts;
  return classesInUse(facts).flatMap(({ nodeClass, nodePools }): AmiMove[] => {
    const hold = holds.find((each) => each.nodeClass === nodeClass.name && each.refused === undefined);
    const before = nodeClass.alias;
    const owner = nodeClass.deliveredBy;
    if (hold === undefined || before === undefined || (again && owner !== undefined)) return [];
    return [
      {
        nodeClass: nodeClass.name,
        nodePools,
        before,
        terms: hold.ids.map((id) => ({ id })),
        ...(hold.amiFamily === undefined || hold.amiFamily === nodeClass.amiFamily ? {} : { amiFamily: hold.amiFamily }),
        why: WHY,
        ...defined({ owner }),
      },
    ];
  });
}

/** Those whom an owner is asked to let go, where nothing else is asked of it: from the ids back to the alias. */
export function releasesAsked(holds: readonly AmiMove[], moves: readonly AmiMove[]): AmiMove[] {
  return holds
    .filter(({ owner, nodeClass }) => owner !== undefined && !moves.some((move) => move.nodeClass === nodeClass))
    .map(({ amiFamily: _family, before, terms, ...hold }) => ({
      ...hold,
      before: terms
        .map(({ id = '' }) => id)
        .toSorted()
        .join(', '),
      terms: [{ alias: before }],
      why: 'they were held until here',
    }));
}

/** What else is to be known of these holds; empty: nothing. */
export function withoutDrivers({ amiHolds: facts = [] }: ClusterFacts, holds: readonly AmiMove[]): string {
  const held = new Set(holds.map(({ nodeClass }) => nodeClass));
  const pools = facts.flatMap(({ nodeClass, openPools = [] }) => (held.has(nodeClass) ? openPools : []));
  return pools.length === 0
    ? ''
    : ` If a pod asks NodePool ${someOf(pools)} for GPUs or other accelerators before then, its new node gets the standard image, which lacks their drivers.`;
}

/** Classes in use that cannot be held, and why. */
export function refusedHolds(facts: ClusterFacts): { nodeClass: string; why: string }[] {
  const used = new Set(classesInUse(facts).map(({ nodeClass }) => nodeClass.name));
  return (facts.amiHolds ?? []).flatMap(({ nodeClass, refused }) =>
    refused === undefined || !used.has(nodeClass) ? [] : [{ nodeClass, why: refused }],
  );
}

/** "1.33: 1 behind, 1.34: 2 behind; 3 are allowed": how far Karpenter's oldest kubelet lags after each of these minors. */
export function skewText(facts: ClusterFacts, minors: readonly KubernetesVersion[]): string {
  const own = facts.kubelets
    .filter(({ owner, count }) => owner === 'karpenter' && count > 0)
    .flatMap(({ minor }) => tryKubernetesVersion(minor) ?? []);
  const oldest = own.toSorted((one, other) => one.minor - other.minor)[0] ?? parseKubernetesVersion(facts.controlPlane.version);
  const steps = minors.map((minor) => `${minorDistance(oldest, minor)} behind ${formatKubernetesVersion(minor)}`);
  return `kubelets at ${formatKubernetesVersion(oldest)} are then ${steps.join(', ')}; ${allowedSkew(oldest)} are allowed`;
}
