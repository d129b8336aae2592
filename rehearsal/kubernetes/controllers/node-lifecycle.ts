/** Nodes: taints that follow their state, and pods that cannot stay on them. */
import { equalJson } from '../json.ts';
import { conditionOf, isFinished, isReady, isTerminating, kubeTime, setCondition } from '../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { keyed, keyOf } from './keyed.ts';
import { type Taint, toleratedForMs, untolerated } from './placement.ts';
import { earliest } from './readiness.ts';

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const NOT_READY = 'node.kubernetes.io/not-ready';

/** A cordoned node and one that is not ready carry taints that say so. */
export const nodeTaints = keyed({
  name: 'node-taints',
  plural: 'nodes',
  // Whether some node is ready concerns those that are not.
  concerns: {
    nodes: (_node, store) =>
      store
        .list('nodes')
        .filter((node) => !isReady(node))
        .map(keyOf),
  },
  reconcile({ store, clock }, node) {
    // Where no node is ready, it is the network's fault: pods stay where they are.
    const someReady = isReady(node) || store.list('nodes').some(isReady);
    syncTaints(store, node, someReady, kubeTime(clock.nowMs()));
    return undefined;
  },
});

/** Pods go with their node, and with a taint that they do not tolerate, or no longer. */
export const podLifecycle = keyed({
  name: 'pod-lifecycle',
  plural: 'pods',
  concerns: { nodes: (node, store) => store.podsOn(node.metadata.name).map(keyOf) },
  reconcile({ store, clock }, pod) {
    const nodeName: string | undefined = pod.spec?.nodeName;
    if (!nodeName) return undefined;
    const nowMs = clock.nowMs();
    const at = kubeTime(nowMs);
    const node = store.get('nodes', nodeName);
    if (!node) {
      store.delete('pods', pod.metadata.name, pod.metadata.namespace, { gracePeriodSeconds: 0 });
      return undefined;
    }
    const leavesMs = isTerminating(pod) ? undefined : leavesAt(pod, node, nowMs);
    if (leavesMs !== undefined && leavesMs <= nowMs) evictByTaint(store, pod, at);
    else if (!isReady(node) && isReady(pod) && !isFinished(pod)) markUnready(store, pod, at);
    return leavesMs !== undefined && leavesMs > nowMs ? leavesMs : undefined;
  },
});

/** What is not ready also drives pods away, once they tolerate it no longer. */
function syncTaints(store: ObjectStore, node: KubeObject, someReady: boolean, at: string): void {
  const taints: Taint[] = node.spec?.taints ?? [];
  const wanted = taints.filter(({ key }) => key !== UNSCHEDULABLE && key !== NOT_READY);
  const keep = (key: string, effect: string, fresh: Taint) =>
    wanted.push(taints.find((taint) => taint.key === key && taint.effect === effect) ?? fresh);
  if (node.spec?.unschedulable) keep(UNSCHEDULABLE, 'NoSchedule', { key: UNSCHEDULABLE, effect: 'NoSchedule', timeAdded: at });
  if (!isReady(node)) keep(NOT_READY, 'NoSchedule', { key: NOT_READY, effect: 'NoSchedule', timeAdded: at });
  const drives = someReady && conditionOf(node, 'Ready')?.status === 'False';
  if (drives) keep(NOT_READY, 'NoExecute', { key: NOT_READY, effect: 'NoExecute', timeAdded: at });
  const inOrder = (list: Taint[]) => list.map(({ key, effect }) => `${key}:${effect}`).toSorted();
  if (equalJson(inOrder(taints), inOrder(wanted))) return;
  store.update('nodes', node.metadata.name, undefined, (copy) => {
    copy.spec ??= {};
    if (wanted.length > 0) copy.spec.taints = wanted;
    else delete copy.spec.taints;
  });
}

/** World time at which a taint takes the pod away; undefined while all are tolerated for good. */
function leavesAt(pod: KubeObject, node: KubeObject, nowMs: number): number | undefined {
  const taints: Taint[] = node.spec?.taints ?? [];
  if (taints.length === 0) return undefined;
  if (untolerated(pod.spec, node, ['NoExecute'])) return nowMs;
  let leavesMs: number | undefined;
  for (const taint of taints) {
    const forMs = taint.effect === 'NoExecute' ? toleratedForMs(pod.spec?.tolerations, taint) : undefined;
    if (forMs !== undefined) leavesMs = earliest(leavesMs, Date.parse(taint.timeAdded ?? '') + forMs);
  }
  return leavesMs === undefined || Number.isNaN(leavesMs) ? undefined : leavesMs;
}

function evictByTaint(store: ObjectStore, pod: KubeObject, at: string): void {
  const { name, namespace } = pod.metadata;
  const message = 'Taint manager: deleting due to NoExecute taint';
  store.update('pods', name, namespace, (copy) =>
    setCondition(copy, { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message }, at),
  );
  store.delete('pods', name, namespace);
}

function markUnready(store: ObjectStore, pod: KubeObject, at: string): void {
  if (conditionOf(pod, 'Ready')?.reason === 'NodeNotReady') return;
  store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) =>
    setCondition(copy, { type: 'Ready', status: 'False', reason: 'NodeNotReady' }, at),
  );
}
