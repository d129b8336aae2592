/** Drains the nodes of instances that Belay's hook holds: cordoned, pods evicted as their budgets allow, then the instance is let go. */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { holdOfPods } from '../../kubernetes/drain/blockers.ts';
import { type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { listServed, NODES } from '../../kubernetes/objects/lists.ts';
import { controllerOf, type DisruptionBudget, needsEviction, nameOf, type Pod } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { requireGroup } from './group-calls.ts';
import { keepWaiting, letGo } from './lifecycle-hook.ts';
import type { Hold } from '../../kubernetes/drain/draining-nodes.ts';
import { defined } from '../../../domain/core/defined.ts';

type Node = KubeObject<{ providerID?: string; unschedulable?: boolean }>;

/** One look and what it allows. `heldCount`: instances that wait to end. `holds`: nodes of which a pod may not be evicted now. */
export async function drainHeld(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  group: string,
): Promise<{ heldCount: number; holds: Hold[] }> {
  const { Instances = [] } = await requireGroup(clients, group);
  const ids = Instances.flatMap(({ InstanceId, LifecycleState }) =>
    InstanceId !== undefined && LifecycleState === 'Terminating:Wait' ? [InstanceId] : [],
  );
  if (ids.length === 0) return { heldCount: 0, holds: [] };
  const nodes = await listServed<Node>(kubernetes, NODES, ({ metadata, spec }) => ({
    metadata: { name: metadata.name, uid: metadata.uid, resourceVersion: metadata.resourceVersion },
    spec: { providerID: spec?.providerID, unschedulable: spec?.unschedulable },
  }));
  const holds: Hold[] = [];
  for (const id of ids) {
    const node = nodes.find(({ spec }) => spec?.providerID?.endsWith(`/${id}`) === true);
    const state = node === undefined ? 'empty' : await drainNode(kubernetes, node.metadata.name);
    if (state === 'empty') await onlyIfHeld(() => letGo(clients, group, id));
    else await onlyIfHeld(() => keepWaiting(clients, group, id));
    if (typeof state === 'object') holds.push(state);
  }
  return { heldCount: ids.length, holds };
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
  return first === undefined ? 'leaving' : await holdOf(kubernetes, name, first);
}

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
  const old = { name: node, nodePool: '', drifted: true, leaving: true, heldByAnnotation: false };
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
