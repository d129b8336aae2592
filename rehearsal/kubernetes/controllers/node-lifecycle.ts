/** Nodes: taints that follow their state, and pods that cannot stay on them. */
import { conditionOf, isFinished, isReady, isTerminating, kubeTime, setCondition } from '../pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { keyed, keyOf } from './keyed.ts';
import { type Taint, untolerated } from './placement.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A cordoned node and one that is not ready carry a taint that says so. */
export const nodeTaints = keyed({
  name: 'node-taints',
  plural: 'nodes',
  reconcile({ store }, node) {
    syncTaints(store, node);
    return undefined;
  },
});

/** Pods go with their node, and with a taint that they do not tolerate. */
export const podLifecycle = keyed({
  name: 'pod-lifecycle',
  plural: 'pods',
  concerns: { nodes: (node, store) => store.podsOn(node.metadata.name).map(keyOf) },
  reconcile({ store, clock }, pod) {
    const { name, namespace } = pod.metadata;
    const nodeName: string | undefined = pod.spec?.nodeName;
    if (!nodeName) return undefined;
    const node = store.get('nodes', nodeName);
    if (!node) store.delete('pods', name, namespace, { gracePeriodSeconds: 0 });
    else if (!isTerminating(pod) && untolerated(pod.spec, node, ['NoExecute'])) store.delete('pods', name, namespace);
    else if (!isReady(node) && isReady(pod) && !isFinished(pod)) markUnready(store, pod, kubeTime(clock.nowMs()));
    return undefined;
  },
});

function syncTaints(store: ObjectStore, node: KubeObject): void {
  const taints: Taint[] = node.spec?.taints ?? [];
  const wanted = taints.filter((taint) => taint.key !== UNSCHEDULABLE.key && taint.key !== NOT_READY.key);
  if (node.spec?.unschedulable) wanted.push(UNSCHEDULABLE);
  if (!isReady(node)) wanted.push(NOT_READY);
  const has = (list: Taint[], key: string) => list.some((taint) => taint.key === key);
  if ([UNSCHEDULABLE.key, NOT_READY.key].every((key) => has(taints, key) === has(wanted, key))) return;
  store.update('nodes', node.metadata.name, undefined, (copy) => {
    copy.spec ??= {};
    if (wanted.length > 0) copy.spec.taints = wanted;
    else delete copy.spec.taints;
  });
}

function markUnready(store: ObjectStore, pod: KubeObject, at: string): void {
  if (conditionOf(pod, 'Ready')?.reason === 'NodeNotReady') return;
  store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) =>
    setCondition(copy, { type: 'Ready', status: 'False', reason: 'NodeNotReady' }, at),
  );
}
