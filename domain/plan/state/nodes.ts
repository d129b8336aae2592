/** Which nodes a plan moves, which it leaves, and how far each may lag behind the control plane. */
import type { AutoModePoolFact, ClusterFacts, KubeletFact, NodeGroupFact, NodePoolFact } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import type { AmiMove } from '../model/changes.ts';
import { compareKubernetesVersions, parseKubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import { aliasOf } from '../../facts/node-classes.ts';

/** Nodes that are at one minor and move together. */
export interface NodeSet {
  /** "node group system", or what one of them is: "Karpenter node". */
  label: string;
  owner: KubeletFact['owner'];
  /** Name of the node group, where the set is one. */
  group?: string;
  minor: KubernetesVersion;
  count: number;
  /** The plan can replace these nodes. */
  movable: boolean;
}

/** EKS moves the version of every node group but those whose AMI the user brings. */
export function isMovableGroup(group: NodeGroupFact): boolean {
  return group.amiType !== 'CUSTOM';
}

/**
 * Karpenter replaces nodes for a new minor only where the node class chooses its AMI by alias; ids and names stay until somebody edits them,
 * but for those that Belay has pinned itself: it lets them go.
 * undefined: the node class could not be read.
 */
export function followsControlPlane(facts: ClusterFacts, pool: NodePoolFact): boolean | undefined {
  if (pool.group !== undefined) return false;
  const nodeClass = facts.karpenter?.nodeClasses.find((c) => c.name === pool.nodeClass);
  return nodeClass === undefined ? undefined : aliasOf(nodeClass) !== undefined;
}

/** Pools that Karpenter will not roll for a new minor, but for those whose classes are edited. Those whose class could not be read are not among them. */
export function pinnedPools(facts: ClusterFacts, moves: readonly AmiMove[]): string[] {
  const edited = moves.flatMap(({ nodePools }) => nodePools);
  return (facts.karpenter?.nodePools ?? [])
    .filter((pool) => followsControlPlane(facts, pool) === false && !edited.includes(pool.name))
    .map((pool) => pool.name);
}

/** Node classes whose AMIs an earlier run has pinned. */
export function heldClasses(facts: ClusterFacts): string[] {
  return (facts.karpenter?.nodeClasses ?? []).filter((c) => c.alias === undefined && c.heldAlias !== undefined).map((c) => c.name);
}

/** Every set of nodes in the cluster. Versions that cannot be read are left out here and reported as findings. */
export function nodeSets(facts: ClusterFacts): NodeSet[] {
  const groups = facts.nodeGroups.flatMap((group): NodeSet[] => {
    const minor = tryKubernetesVersion(group.version);
    if (minor === undefined) return [];
    const movable = isMovableGroup(group);
    return [{ label: `node group ${group.name}`, owner: 'node-group', group: group.name, minor, count: group.desiredCount, movable }];
  });
  const pools = facts.karpenter?.nodePools ?? [];
  // Nodes whose group or pool is gone belong to nobody who could move them.
  const allGroupsMovable = facts.nodeGroups.length > 0 && facts.nodeGroups.every(isMovableGroup);
  const allPoolsFollow = pools.length > 0 && pools.every((pool) => pool.nodeCount === 0 || followsControlPlane(facts, pool) === true);
  const kubelets = facts.kubelets.flatMap((kubelet): NodeSet[] => {
    const minor = tryKubernetesVersion(kubelet.minor);
    if (minor === undefined || kubelet.count === 0) return [];
    // EKS's version of a group speaks for its nodes, unless their kubelets say otherwise.
    if (kubelet.owner === 'node-group' && groups.some((set) => compareKubernetesVersions(set.minor, minor) === 0)) return [];
    const movable = {
      'node-group': allGroupsMovable,
      karpenter: allPoolsFollow,
      'auto-mode': true,
      'self-managed': true,
      fargate: true,
      hybrid: false,
    };
    const set = { label: LABELS[kubelet.owner], owner: kubelet.owner, minor, count: kubelet.count, movable: movable[kubelet.owner] };
    return [set];
  });
  return [...groups, ...kubelets];
}

const LABELS: Record<NodeSet['owner'], string> = {
  'node-group': 'node-group node',
  karpenter: 'Karpenter node',
  'self-managed': 'self-managed node',
  fargate: 'Fargate node',
  'auto-mode': 'Auto Mode node',
  hybrid: 'hybrid node',
};

/** Managed node groups that are behind `to` and that EKS can move. */
export function groupsBehind(facts: ClusterFacts, to: KubernetesVersion): NodeGroupFact[] {
  return facts.nodeGroups.filter((group) => {
    const minor = tryKubernetesVersion(group.version);
    return isMovableGroup(group) && (minor === undefined || compareKubernetesVersions(minor, to) < 0);
  });
}

/** Pools of Auto Mode whose budgets can be edited: they are frozen and paced as Karpenter's are. */
export function autoModePoolsOfOnesOwn(facts: ClusterFacts): AutoModePoolFact[] {
  return (facts.autoModePools ?? []).filter((pool) => !pool.builtIn);
}

/** Nodes that Karpenter will replace when its freeze is lifted, as far as is known. */
export function driftingNodeCount(facts: ClusterFacts, moves: readonly AmiMove[]): number {
  const pools = facts.karpenter?.nodePools ?? [];
  const pinned = pinnedPools(facts, moves);
  const following = [...pools.filter((pool) => !pinned.includes(pool.name)), ...autoModePoolsOfOnesOwn(facts)];
  return following.reduce((sum, pool) => sum + pool.nodeCount, 0);
}

/** The control plane's minor. Throws a RangeError when EKS's answer is no version. */
export function controlPlaneMinor(facts: ClusterFacts): KubernetesVersion {
  return parseKubernetesVersion(facts.controlPlane.version);
}
