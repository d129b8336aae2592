/** Nodes: taints that follow their state, and pods that cannot stay on them. */
import { conditionOf, isFinished, isReady, isTerminating, kubeTime, setCondition } from '../pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { levelTriggered } from './level-triggered.ts';
import { type Taint, untolerated } from './placement.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeLifecycle = levelTriggered('node-lifecycle', ({ store, clock }) => {
  const nodes = new Map(store.list('nodes').map((node) => [node.metadata.name, syncTaints(store, node)]));
  const at = kubeTime(clock.nowMs());
  for (const pod of store.list('pods')) {
    const nodeName: string | undefined = pod.spec?.nodeName;
    if (!nodeName) continue;
    const node = nodes.get(nodeName);
    if (!node) store.delete('pods', pod.metadata.name, pod.metadata.namespace, { gracePeriodSeconds: 0 });
    else if (!isTerminating(pod) && untolerated(pod.spec, node, ['NoExecute']))
      store.delete('pods', pod.metadata.name, pod.metadata.namespace);
    else if (!isReady(node) && isReady(pod) && !isFinished(pod)) markUnready(store, pod, at);
  }
  return undefined;
});

/** A cordoned node and one that is not ready carry a taint that says so. */
function syncTaints(store: ObjectStore, node: KubeObject): KubeObject {
  const taints: Taint[] = node.spec?.taints ?? [];
  const wanted = taints.filter((taint) => taint.key !== UNSCHEDULABLE.key && taint.key !== NOT_READY.key);
  if (node.spec?.unschedulable) wanted.push(UNSCHEDULABLE);
  if (!isReady(node)) wanted.push(NOT_READY);
  const has = (list: Taint[], key: string) => list.some((taint) => taint.key === key);
  if ([UNSCHEDULABLE.key, NOT_READY.key].every((key) => has(taints, key) === has(wanted, key))) return node;
  return store.update('nodes', node.metadata.name, undefined, (copy) => {
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
