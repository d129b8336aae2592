/** What holds the nodes of a group whose update has failed with PodEvictionFailure, or takes long: EKS names neither pods nor PodDisruptionBudgets. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { capital, someOf, utcMinute } from '../../../domain/core/text.ts';
import { type ClusterNode, type DisruptionBudget, nameOf, needsEviction } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { NodeGroupRoll, UpdateOutcome } from '../../contract/eks.ts';
import { holdOfBudgets } from '../../kubernetes/drain/blockers.ts';
import { leavingNode } from '../../kubernetes/drain/draining-nodes.ts';
import { isOverdue, whyNotGone } from '../../kubernetes/drain/stuck-removals.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import { listServed, podsOn } from '../../kubernetes/objects/lists.ts';
import { nodesOfGroup } from '../node-group.ts';

/** Pods of so many nodes are read. */
const NODES = 10;
/** So many reasons are said. */
const SAID = 3;

type Failure = UpdateOutcome['errors'][number];

const isEviction = ({ code }: Failure): boolean => code === 'PodEvictionFailure';

/** The errors; those of evictions say what holds the group's nodes now, or that it cannot be seen. */
export async function withBlockers(
  errors: UpdateOutcome['errors'],
  kubernetes: () => Promise<KubernetesPort>,
  { group, to }: { group: string; to: string },
): Promise<UpdateOutcome['errors']> {
  const failed = errors.find(isEviction);
  if (failed === undefined) return errors;
  let said: string;
  try {
    const blockers = await findBlockers(await kubernetes(), { group, to, first: failed.resourceIds });
    said = blockers.length === 0 ? 'Nothing forbids an eviction from the old nodes now.' : `${capital(someOf(blockers, SAID))}.`;
  } catch (error) {
    said = `What holds the nodes cannot be seen: ${messageOf(error)}.`;
  }
  return errors.map((each) => (isEviction(each) ? { ...each, message: `${each.message} ${said}` } : each));
}

/** How far the group is, and what holds its old nodes now. Never throws: whoever waits is asked all the same. */
export async function readRoll(
  kubernetes: () => Promise<KubernetesPort>,
  { group, to }: { group: string; to: string },
): Promise<NodeGroupRoll> {
  const roll: NodeGroupRoll = { newCount: 0, oldCount: 0, held: [] };
  try {
    const port = await kubernetes();
    const nodes = await nodesOfGroup(port, group);
    const old = nodes.filter((node) => kubeletMinor(node) !== to);
    Object.assign(roll, { newCount: nodes.length - old.length, oldCount: old.length });
    return { ...roll, held: (await blockersOf(port, old, [])).slice(0, SAID) };
  } catch (error) {
    return { ...roll, unseen: messageOf(error) };
  }
}

/** `first`: names of nodes that EKS has named. */
async function findBlockers(
  kubernetes: KubernetesPort,
  { group, to, first }: { group: string; to: string; first: readonly string[] },
): Promise<string[]> {
  const old = (await nodesOfGroup(kubernetes, group)).filter((node) => kubeletMinor(node) !== to);
  return await blockersOf(kubernetes, old, first);
}

async function blockersOf(kubernetes: KubernetesPort, old: readonly ClusterNode[], first: readonly string[]): Promise<string[]> {
  if (old.length === 0) return [];
  const isNamed = ({ metadata }: ClusterNode): number => Number(first.includes(metadata.name));
  const budgets = await listServed<DisruptionBudget>(kubernetes, { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' });
  const reasons = new Set<string>();
  for (const node of old.toSorted((a, b) => isNamed(b) - isNamed(a)).slice(0, NODES)) {
    const { name } = node.metadata;
    for (const pod of await podsOn(kubernetes, name)) {
      const { deletionTimestamp: endsAt } = pod.metadata;
      const hold = needsEviction(pod) ? holdOfBudgets(leavingNode(name), pod, budgets) : undefined;
      if (hold !== undefined) reasons.add(hold.reason);
      else if (isOverdue(kubernetes, pod)) reasons.add(whyNotGone(node, pod));
      else if (endsAt !== undefined) reasons.add(`pod ${nameOf(pod)} is ending, and may take until ${utcMinute(endsAt)}`);
    }
  }
  return [...reasons];
}
