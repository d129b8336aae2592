/** Nodes that are newer than the minor to go back to: which of them a plan takes back, and what people have to do about the others. */
import type { ClusterFacts, KubeletFact, NodeGroupFact } from '../../facts/facts.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import { type ClusterRef, eksNameOf } from '../../core/cluster-ref.ts';
import { someOf } from '../../core/text.ts';
import { isMovableGroup } from '../state/nodes.ts';
import { isAhead } from './ahead.ts';
import { defined } from '../../core/defined.ts';

/** Groups whose nodes EKS makes from images of its own. */
export function groupsAhead(facts: ClusterFacts, backTo: KubernetesVersion): NodeGroupFact[] {
  return facts.nodeGroups.filter((group) => isMovableGroup(group) && isAhead(group.version, backTo));
}

export interface NodesAhead {
  count: number;
  owner: KubeletFact['owner'];
  /** Undefined: a step of the plan takes them back. */
  byHand?: string;
}

/** Kubelets that no step of the plan takes back come with what to do by hand. */
export function nodesAhead(facts: ClusterFacts, backTo: KubernetesVersion): NodesAhead[] {
  const ahead = facts.kubelets.filter(({ minor, count }) => count > 0 && isAhead(minor, backTo));
  const owners = [...new Set(ahead.map(({ owner }) => owner))];
  return owners.map((owner) => {
    const count = ahead.filter((fact) => fact.owner === owner).reduce((sum, fact) => sum + fact.count, 0);
    const taken =
      (owner === 'node-group' && groupsAhead(facts, backTo).length > 0) || (owner === 'karpenter' && facts.karpenter !== undefined);
    const byHand = taken ? undefined : wayOf(owner, facts, backTo);
    return { count, owner, ...defined({ byHand }) };
  });
}

function wayOf(owner: KubeletFact['owner'], facts: ClusterFacts, to: KubernetesVersion): string {
  const backTo = formatKubernetesVersion(to);
  switch (owner) {
    case 'node-group':
      return groupsWay(facts, backTo);
    case 'karpenter':
      return `Set amiSelectorTerms of each EC2NodeClass to ids of images of ${backTo} (an alias follows the control plane and would bring the newer minor again), let drift replace the nodes, and ask again when no node is newer than ${backTo}.`;
    case 'self-managed':
      return `Point the launch template of their Auto Scaling groups at an image of ${backTo} and refresh the instances; or let Belay do it, for groups that carry the cluster's tag: nodeGroups.selfManaged: refresh in belay.yaml.`;
    case 'fargate':
      return `Scale what runs on Fargate to 0: a new pod gets the control plane's version there, so it can only start again once the control plane is back at ${backTo}.`;
    case 'hybrid':
      return `Connect hybrid nodes at ${backTo} (nodeadm install ${backTo}), move the pods there, and remove the newer ones; then ask again.`;
    case 'auto-mode':
      return 'EKS takes nodes of Auto Mode back itself.';
  }
}

/** The command that has EKS move a managed node group to a minor. */
export const updateGroup = (cluster: ClusterRef, group: string, minor: string): string =>
  `aws eks update-nodegroup-version --cluster-name ${eksNameOf(cluster)} --nodegroup-name ${group} --kubernetes-version ${minor}`;

/**
 * Groups whose nodes EKS makes from images of its own are at the older minor here: an update that failed, or still runs, has replaced some of their nodes
 * already, while EKS gives the version from before (user guide, "Understand each phase of node updates").
 */
function groupsWay({ nodeGroups, cluster, controlPlane }: ClusterFacts, backTo: string): string {
  const own = nodeGroups.filter((group) => !isMovableGroup(group)).map(({ name }) => name);
  const half = nodeGroups.filter(isMovableGroup).map(({ name }) => name);
  const put = `ut an image of ${backTo} into the launch template of these node groups and update them to that template version, or drain them and delete them once a group at ${backTo} has taken their pods.`;
  if (half.length === 0) return `P${put}`;
  const only = half.length === 1 ? (half[0] ?? '') : 'NAME';
  const repeat = `an update has replaced only some nodes, and EKS rolls back whole groups. Let it end, or repeat it with ${updateGroup(cluster, only, controlPlane.version)}; then request the rollback again.`;
  return own.length === 0
    ? `Node group ${someOf(half)}: ${repeat}`
    : `If they belong to ${someOf(half)}, ${repeat} If they belong to ${someOf(own)}, p${put}`;
}
