/** Which workload a pod belongs to. */
import type { KubeObject, ObjectStore } from '../store.ts';
import { controllerOf } from './pods.ts';

/** "Deployment shop/web": the Deployment behind its ReplicaSet, or whatever controls it; the pod itself where nothing does. */
export function workloadOf(store: Pick<ObjectStore, 'get'>, pod: KubeObject): string {
  const { namespace = '', name } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner === undefined) return `Pod ${namespace}/${name}`;
  const set = owner.kind === 'ReplicaSet' ? store.get('replicasets', owner.name, namespace) : undefined;
  const top = (set && controllerOf(set)) ?? owner;
  return `${top.kind} ${namespace}/${top.name}`;
}
