/** Checks of nodes: Ready, and at which kubelet minor. */
import type { KubeletFact, NodeGroupFact } from '../../../domain/facts/facts.ts';
import { isMovableGroup } from '../../../domain/plan/state/nodes.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { agree, count, someOf } from '../../../domain/core/text.ts';
import { NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import { type ClusterNode, isTrue } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { finding, findingUnless, unknownWhereDenied } from './catalogue.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';

/** A node that has just come is not Ready for a while. */
const GRACE_MS = 10 * 60_000;
/** More than this share of sick nodes stops a run; fewer are said. */
const SICK_SHARE = 0.1;

export async function checkNodesReady(kubernetes: KubernetesPort): Promise<Finding[]> {
  let nodes: ClusterNode[];
  try {
    nodes = (await kubernetes.list<ClusterNode>(NODES, slimNode)) ?? [];
  } catch (error) {
    return [unknownWhereDenied('K8S103', error, 'listing nodes', 'list on nodes')];
  }
  return findSickNodes(kubernetes, nodes);
}

/** One node in ten may be sick, and one that has just come is not Ready yet. `whose`: " of workers", where not of the whole cluster. */
export function findSickNodes(kubernetes: Pick<KubernetesPort, 'serverDate'>, nodes: readonly ClusterNode[], whose = ''): Finding[] {
  const nowMs = nowOf(kubernetes);
  const sick = nodes.filter((node) => !isTrue(node, 'Ready') && isSettled(node, nowMs)).map((node) => node.metadata.name);
  const many = sick.length > nodes.length * SICK_SHARE;
  const message =
    sick.length === 0
      ? `${count(nodes.length, 'node')}${whose} ${agree(nodes.length, 'is', 'are')} Ready.`
      : `${sick.length} of ${nodes.length} nodes${whose} are not Ready: ${someOf(sick)}.`;
  const remediation = 'Repair or delete these nodes (kubectl describe node).';
  const required = finding('K8S103', { status: many ? 'fail' : 'pass', message, ...(many ? { resources: sick, remediation } : {}) });
  if (many || sick.length === 0) return [required];
  return [required, finding('K8S105', { status: 'fail', message, resources: sick, remediation })];
}

function isSettled(node: ClusterNode, nowMs: number): boolean {
  if (node.metadata.deletionTimestamp !== undefined) return false;
  const born = Date.parse(node.metadata.creationTimestamp ?? '');
  return Number.isNaN(born) || nowMs - born > GRACE_MS;
}

/** Rolled by others than Belay. */
export const isForeign = ({ owner }: Pick<KubeletFact, 'owner'>): boolean =>
  owner === 'self-managed' || owner === 'fargate' || owner === 'hybrid';

/** What Belay rolls must be at the target; what others roll (self-managed, Fargate, hybrid) is said. */
export function checkNodeVersions(kubelets: readonly KubeletFact[], to: string, groups: readonly NodeGroupFact[] = []): Finding[] {
  const lagging = kubelets.filter((fact) => fact.minor !== to);
  const foreign = lagging.filter(isForeign).map(sayKubelets);
  const own = lagging.filter((fact) => !isForeign(fact)).map(sayKubelets);
  const required = findingUnless('K8S104', own, {
    pass: `All nodes that Belay rolls are at ${to}.`,
    fail: `These nodes are not at ${to}: ${someOf(own)}.`,
    remediation: remedyFor(
      lagging.filter((fact) => !isForeign(fact)),
      groups.filter((group) => !isMovableGroup(group)),
      to,
    ),
  });
  if (foreign.length === 0) return [required];
  const recommended = finding('K8S106', {
    status: 'fail',
    message: `These nodes are rolled by others and are not at ${to}: ${someOf(foreign)}.`,
    resources: foreign,
    remediation: 'Refresh their auto scaling groups, restart the workloads on Fargate, upgrade hybrid nodes with nodeadm.',
  });
  return [required, recommended];
}

/** `ownImages`: groups whose images only their owner makes. */
function remedyFor(lagging: readonly KubeletFact[], ownImages: readonly NodeGroupFact[], to: string): string {
  const blocked = 'Find what blocks them (disruption budgets, do-not-disrupt), then retry.';
  if (ownImages.length === 0 || !lagging.some(({ owner }) => owner === 'node-group')) return blocked;
  const names = someOf(ownImages.map(({ name }) => name));
  const own = `${agree(ownImages.length, 'Node group', 'Node groups')} ${names} ${agree(ownImages.length, 'runs an image', 'run images')} of your own, which Belay does not update: put one for ${to} into the launch template, update the group to that version of it, then retry.`;
  return lagging.length === 1 ? own : `${own} Of the others: find what blocks them (disruption budgets, do-not-disrupt).`;
}

/** "3 karpenter at 1.32" */
export function sayKubelets({ count, owner, minor }: KubeletFact): string {
  return `${count} ${owner} at ${minor}`;
}
