/** What the API server's own admission adds to objects that come over the wire. */
import type { KubeObject, ResourceType } from '../store.ts';

/** Changes an object that is about to be created. */
export function admitCreate(type: ResourceType, object: KubeObject): void {
  if (type.group === '' && type.plural === 'nodes') taintUntilReady(object);
}

/** TaintNodesByCondition: a node is tainted until the node controller finds it ready. */
function taintUntilReady(node: KubeObject): void {
  const key = 'node.kubernetes.io/not-ready';
  node.spec ??= {};
  const taints: { key: string; effect: string }[] = node.spec.taints ?? [];
  if (taints.some((taint) => taint.key === key && taint.effect === 'NoSchedule')) return;
  node.spec.taints = [...taints, { key, effect: 'NoSchedule' }];
}
