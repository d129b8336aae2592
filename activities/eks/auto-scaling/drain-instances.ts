/** Drains the nodes of instances that Belay's hook holds: cordoned, pods evicted as their budgets allow, then the instance is let go. */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { holdOfBudgets } from '../../kubernetes/drain/blockers.ts';
import { attachedVolumes } from '../../kubernetes/drain/attached-volumes.ts';
import { isOverdue, whyNotGone } from '../../kubernetes/drain/stuck-removals.ts';
import { cordonOperations } from '../../kubernetes/objects/cordon-node.ts';
import { type JsonOperation, lookThenPatch, relabel } from '../../kubernetes/objects/patch-object.ts';
import { NODES, podsOn } from '../../kubernetes/objects/lists.ts';
import { type Condition, controllerOf, type DisruptionBudget, needsEviction, nameOf, type Pod } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import type { GroupLook } from './group-look.ts';
import { keepWaiting, letGo } from './lifecycle-hook.ts';
import { type Hold, leavingNode } from '../../kubernetes/drain/draining-nodes.ts';
import { defined } from '../../../domain/core/defined.ts';
import { because, someOf } from '../../../domain/core/text.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { type Taint, tolerates } from '../../../domain/facts/disruption/tolerations.ts';

type Node = KubeObject<{ unschedulable?: boolean; taints?: (Taint & { timeAdded?: string })[] }, { conditions?: Condition[] }>;

/** Well-known (Kubernetes reference, "Well-Known Labels, Annotations and Taints"): cloud providers and the AWS Load Balancer Controller take no such node. */
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Of a node that is cordoned. */
const CORDON = 'node.kubernetes.io/unschedulable';

/** What a look allows. `paused`: instances are only held. `heldCount`: instances that wait to end. `draining`: nodes that are not empty yet. `holds`: those of them that cannot be emptied now. */
export async function drainHeld(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  look: GroupLook,
  paused = false,
): Promise<{ heldCount: number; draining: string[]; holds: Hold[] }> {
  const { group } = look;
  const ids = await look.held();
  if (ids.length === 0) return { heldCount: 0, draining: [], holds: [] };
  const nodes = await look.nodes();
  const draining: string[] = [];
  const holds: Hold[] = [];
  for (const id of ids) {
    const name = nodes.get(id)?.name;
    if (paused) {
      await onlyIfHeld(() => keepWaiting(clients, group, id));
      if (name !== undefined) draining.push(name);
      continue;
    }
    const state = name === undefined ? 'empty' : await drainNode(kubernetes, name);
    if (name === undefined || state === 'empty') {
      await onlyIfHeld(() => letGo(clients, group, id));
      continue;
    }
    await onlyIfHeld(() => keepWaiting(clients, group, id));
    draining.push(name);
    if (state !== 'leaving') holds.push(state);
  }
  return { heldCount: ids.length, draining, holds };
}

/** For a look that has failed: what waits to end is held, drained or not. Never throws: that failure is the one to tell. */
export async function holdAll(clients: AccountClients, look: GroupLook): Promise<void> {
  const ids = await look.held().catch((): string[] => []);
  await Promise.allSettled(ids.map((id) => keepWaiting(clients, look.group, id)));
}

/** Auto Scaling answers a ValidationError where the hook holds the instance no longer: it was let go, or the two days are over. */
async function onlyIfHeld(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (failureType(error) !== 'InvalidRequest') throw error;
  }
}

async function drainNode(kubernetes: KubernetesPort, name: string): Promise<'empty' | 'leaving' | Hold> {
  // A cordon alone leaves the node in load balancers until it is gone. It never comes back, so it leaves them as it is drained, as Karpenter's nodes do.
  const operations = (node: Node): JsonOperation[] => [
    ...(node.metadata.labels?.[EXCLUDED] === undefined ? relabel(node, { [EXCLUDED]: 'belay' }) : []),
    ...cordonOperations(node),
  ];
  const cordoned = await lookThenPatch<Node>(kubernetes, { ...NODES, name }, operations);
  if (cordoned.kind === 'gone') return 'empty';
  const all = await podsOn(kubernetes, name);
  const pods = all.filter((pod) => holdsUp(pod) && !cameAfterCordon(cordoned.object, pod));
  if (pods.length === 0) return (await holdOfVolumes(kubernetes, name, all)) ?? 'empty';
  const refused: Refused[] = [];
  for (const pod of pods.filter(needsEviction)) {
    const why = await evict(kubernetes, pod);
    if (why !== undefined) refused.push({ pod, ...why });
  }
  const [first] = refused;
  if (first !== undefined) return await holdOf(kubernetes, name, first);
  const overdue = pods.find((pod) => isOverdue(kubernetes, pod));
  return overdue === undefined ? 'leaving' : holdOfRemoval(cordoned.object, overdue);
}

/** Without the pod: no replica more and no second deletion would make it go. */
function holdOfRemoval(node: Node, pod: Pod): Hold {
  return { node: leavingNode(node.metadata.name), key: `${nameOf(pod)} removal`, lasting: false, reason: whyNotGone(node, pod) };
}

/** undefined: its volumes are detached. That takes seconds, and is asked about only where it lasts. */
async function holdOfVolumes(kubernetes: KubernetesPort, node: string, staying: readonly Pod[]): Promise<Hold | undefined> {
  const volumes = await attachedVolumes(kubernetes, node, staying);
  if (volumes.length === 0) return undefined;
  const [what, is, it] = volumes.length === 1 ? ['volume', 'is', 'it'] : ['volumes', 'are', 'them'];
  const reason = `${what} ${someOf(volumes)} ${is} still attached, although no pod uses ${it} any more: look at the log of the CSI driver's controller, and at kubectl get volumeattachments`;
  return { node: leavingNode(node), key: 'volumes', lasting: false, reason };
}

/** Ones that are on their way out count until they are gone. */
function holdsUp(pod: Pod): boolean {
  const owner = controllerOf(pod)?.kind;
  const finished = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return !finished && owner !== 'DaemonSet' && owner !== 'Node';
}

/**
 * A pod that tolerates the cordon and came to the node under it would come back from each eviction, and the drain would never end: it stays to the end,
 * as a DaemonSet's does. (kubectl's drain lists the pods of a node once.) What was there before the cordon is evicted all the same. The node lifecycle
 * controller writes `timeAdded` (kubernetes pkg/controller/util/node/controller_utils.go, SwapNodeControllerTaint); without it every pod is evicted.
 */
function cameAfterCordon({ spec }: Node, { metadata: { creationTimestamp = '' }, spec: { tolerations = [] } = {} }: Pod): boolean {
  const cordon = spec?.taints?.find(({ key, effect }) => key === CORDON && effect === 'NoSchedule');
  return cordon !== undefined && Date.parse(creationTimestamp) > Date.parse(cordon.timeAdded ?? '') && tolerates(tolerations, cordon);
}

/** `said`: by the API server, where no budget is the reason. */
interface Refused {
  pod: Pod;
  said?: string;
}

/**
 * undefined: it is on its way out. Refused: a PodDisruptionBudget forbids it now (429), more than one matches (500), its namespace is being terminated
 * (403: kubectl's drain tries again, too), an admission webhook or RBAC forbids it. None of them ends the drain: what the hook holds would end undrained.
 */
async function evict(kubernetes: KubernetesPort, pod: Pod): Promise<Omit<Refused, 'pod'> | undefined> {
  const { name, namespace, uid } = pod.metadata;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions: { preconditions: { uid } } };
  try {
    await kubernetes.create({ apiVersion: 'v1', plural: `pods/${name}/eviction`, ...defined({ namespace }) }, body);
    return undefined;
  } catch (error) {
    const type = failureType(error);
    // Gone already, or another pod has its name.
    if (type === 'NotFound' || type === 'Conflict') return undefined;
    if (type === 'Throttled' || type === 'Unavailable') return {};
    if (type === 'AccessDenied' || type === 'InvalidRequest') return { said: messageOf(error) };
    throw error;
  }
}

async function holdOf(kubernetes: KubernetesPort, node: string, { pod, said }: Refused): Promise<Hold> {
  const old = leavingNode(node);
  if (said === undefined) {
    const budgets = (await kubernetes.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
    const hold = holdOfBudgets(old, pod, budgets);
    if (hold !== undefined) return hold;
  }
  return {
    node: old,
    key: `${nameOf(pod)} eviction`,
    lasting: false,
    reason: `the API server refuses to evict pod ${nameOf(pod)} now${because(said)}`,
    pod,
    noUseScaling: true,
  };
}
