/** Draining a node: evict what is neither finished nor a DaemonSet's, and say which budget stands in the way. */
import { budgetsOf, evictPod } from '../kubernetes/pods/eviction.ts';
import { controllerOf, isFinished, isTerminating } from '../kubernetes/pods/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';

export interface Blocker {
  pod: KubeObject;
  /** Names of PodDisruptionBudgets, in the pod's namespace. */
  budgets: string[];
}

/** Pods that a drain has to move. */
export function reschedulable(world: World, node: string): KubeObject[] {
  return world.store.podsOn(node).filter((pod) => !isFinished(pod) && controllerOf(pod)?.kind !== 'DaemonSet');
}

/** Pods that may not be evicted now, without trying. */
export function blockers(world: World, node: string): Blocker[] {
  return reschedulable(world, node).flatMap((pod) => {
    if (isTerminating(pod) || pod.status?.phase === 'Pending') return [];
    const budgets = budgetsOf(world.store, pod);
    const closed = budgets.length > 1 || budgets.some((b) => !(b.status?.disruptionsAllowed > 0));
    return closed ? [{ pod, budgets: budgets.map((b) => b.metadata.name) }] : [];
  });
}

/** Evicts what can be evicted now. `left`: pods still there, terminating ones too. */
export function drain(world: World, node: string, options: { force?: boolean } = {}): { left: number; blocked: Blocker[] } {
  const pods = reschedulable(world, node);
  const blocked: Blocker[] = [];
  for (const pod of pods) {
    if (isTerminating(pod)) continue;
    const { name, namespace = 'default' } = pod.metadata;
    if (options.force) {
      world.store.delete('pods', name, namespace);
      continue;
    }
    const result = evictPod(world, name, namespace);
    if (!result.ok) blocked.push({ pod, budgets: result.blockedBy });
  }
  return { left: reschedulable(world, node).length, blocked };
}
