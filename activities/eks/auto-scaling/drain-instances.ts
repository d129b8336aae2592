/** Drains the nodes of instances that Belay's hook holds: cordoned, pods evicted as their budgets allow, then the instance is let go. */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { holdOfPods } from '../../kubernetes/drain/blockers.ts';
import { type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { listServed, NODES } from '../../kubernetes/objects/lists.ts';
import {
  type Condition,
  controllerOf,
  type DisruptionBudget,
  isTrue,
  needsEviction,
  nameOf,
  type Pod,
} from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { requireGroup } from './group-calls.ts';
import { keepWaiting, letGo } from './lifecycle-hook.ts';
import type { Hold, OldNode } from '../../kubernetes/drain/draining-nodes.ts';
import { defined } from '../../../domain/core/defined.ts';
import { agree, someOf } from '../../../domain/core/text.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';

type Node = KubeObject<{ providerID?: string; unschedulable?: boolean }, { conditions?: Condition[] }>;

/** One look and what it allows. `heldCount`: instances that wait to end. `draining`: nodes that are not empty yet. `holds`: those of them that cannot be emptied now. */
export async function drainHeld(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  group: string,
): Promise<{ heldCount: number; draining: string[]; holds: Hold[] }> {
  const { Instances = [] } = await requireGroup(clients, group);
  const ids = Instances.flatMap(({ InstanceId, LifecycleState }) =>
    InstanceId !== undefined && LifecycleState === 'Terminating:Wait' ? [InstanceId] : [],
  );
  if (ids.length === 0) return { heldCount: 0, draining: [], holds: [] };
  const nodes = await listServed<Node>(kubernetes, NODES, ({ metadata, spec }) => ({
    metadata: { name: metadata.name, uid: metadata.uid, resourceVersion: metadata.resourceVersion },
    spec: { providerID: spec?.providerID, unschedulable: spec?.unschedulable },
  }));
  const draining: string[] = [];
  const holds: Hold[] = [];
  for (const id of ids) {
    const name = nodes.find(({ spec }) => spec?.providerID?.endsWith(`/${id}`) === true)?.metadata.name;
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

/** Auto Scaling answers a ValidationError where the hook holds the instance no longer: it was let go, or the two days are over. */
async function onlyIfHeld(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (failureType(error) !== 'InvalidRequest') throw error;
  }
}

async function drainNode(kubernetes: KubernetesPort, name: string): Promise<'empty' | 'leaving' | Hold> {
  const operations = ({ spec }: Node): JsonOperation[] =>
    spec?.unschedulable === true ? [] : [{ op: 'add', path: '/spec/unschedulable', value: true }];
  const cordoned = await lookThenPatch<Node>(kubernetes, { ...NODES, name }, operations);
  if (cordoned.kind === 'gone') return 'empty';
  const pods = (await podsOn(kubernetes, name)).filter(holdsUp);
  if (pods.length === 0) return 'empty';
  const refused: Pod[] = [];
  for (const pod of pods.filter(needsEviction)) {
    if (!(await evict(kubernetes, pod))) refused.push(pod);
  }
  const [first] = refused;
  if (first !== undefined) return await holdOf(kubernetes, name, first);
  const overdue = pods.find((pod) => isOverdue(kubernetes, pod));
  return overdue === undefined ? 'leaving' : holdOfRemoval(cordoned.object, overdue);
}

/** Kubernetes sets the time at which a pod is to be gone when it begins to remove it: the grace period is part of it. */
function isOverdue(kubernetes: KubernetesPort, { metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < nowOf(kubernetes);
}

/** Without the pod: no replica more and no second deletion would make it go. */
function holdOfRemoval(node: Node, pod: Pod): Hold {
  const { finalizers = [], name, namespace = '' } = pod.metadata;
  const why = [
    ...(finalizers.length === 0 ? [] : [`it still has ${agree(finalizers.length, 'finalizer', 'finalizers')} ${someOf(finalizers)}`]),
    ...(isTrue(node, 'Ready')
      ? []
      : [
          `its node is not Ready, so no kubelet confirms its end. If it no longer runs: kubectl delete pod ${name} --namespace ${namespace} --force`,
        ]),
  ];
  return {
    node: leavingNode(node.metadata.name),
    key: `${nameOf(pod)} removal`,
    lasting: false,
    reason: `pod ${nameOf(pod)} is being removed and does not go${why.length === 0 ? '' : `: ${why.join('; ')}`}`,
  };
}

const leavingNode = (name: string): OldNode => ({ name, nodePool: '', drifted: true, leaving: true, heldByAnnotation: false });

/** Ones that are on their way out count until they are gone. */
function holdsUp(pod: Pod): boolean {
  const owner = controllerOf(pod)?.kind;
  const finished = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return !finished && owner !== 'DaemonSet' && owner !== 'Node';
}

async function podsOn(kubernetes: KubernetesPort, node: string): Promise<Pod[]> {
  return await listServed<Pod>(kubernetes, { apiVersion: 'v1', plural: 'pods', fieldSelector: `spec.nodeName=${node}` });
}

/** False: a PodDisruptionBudget forbids it now (429), or more than one matches (500). */
async function evict(kubernetes: KubernetesPort, pod: Pod): Promise<boolean> {
  const { name, namespace, uid } = pod.metadata;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions: { preconditions: { uid } } };
  try {
    await kubernetes.create({ apiVersion: 'v1', plural: `pods/${name}/eviction`, ...defined({ namespace }) }, body);
    return true;
  } catch (error) {
    const type = failureType(error);
    // Gone already, or another pod has its name.
    if (type === 'NotFound' || type === 'Conflict') return true;
    if (type === 'Throttled' || type === 'Unavailable') return false;
    throw error;
  }
}

async function holdOf(kubernetes: KubernetesPort, node: string, pod: Pod): Promise<Hold> {
  const budgets = (await kubernetes.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
  const old = leavingNode(node);
  return (
    holdOfPods(old, [pod], budgets) ?? {
      node: old,
      key: `${nameOf(pod)} eviction`,
      lasting: false,
      reason: `the API server refuses to evict pod ${nameOf(pod)} now`,
      pod,
    }
  );
}
