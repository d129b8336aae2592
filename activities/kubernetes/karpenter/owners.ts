/** From a pod to what can be scaled: ReplicaSet to Deployment, or StatefulSet. */
import type { BlockedNode } from '../../contract.ts';
import type { KubernetesPort } from '../../ports.ts';
import { PLURALS } from '../rollout.ts';
import { controllerOf, type Pod, type Workload } from '../shapes.ts';

/** undefined: the pod has no owner, or one that cannot be scaled (DaemonSet, Job, an operator's own kind). */
export async function workloadOf(port: KubernetesPort, pod: Pod): Promise<BlockedNode['workload']> {
  const { namespace } = pod.metadata;
  const owner = controllerOf(pod);
  if (namespace === undefined || owner === undefined) return undefined;
  if (owner.kind === 'StatefulSet') return await scalable(port, 'StatefulSet', namespace, owner.name);
  if (owner.kind !== 'ReplicaSet') return undefined;
  const replicaSet = await port.get({ apiVersion: 'apps/v1', plural: 'replicasets', namespace, name: owner.name });
  const parent = replicaSet === undefined ? undefined : controllerOf(replicaSet);
  return parent?.kind === 'Deployment' ? await scalable(port, 'Deployment', namespace, parent.name) : undefined;
}

async function scalable(
  port: KubernetesPort,
  kind: 'Deployment' | 'StatefulSet',
  namespace: string,
  name: string,
): Promise<BlockedNode['workload']> {
  const workload = await port.get<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name });
  return workload === undefined ? undefined : { kind, namespace, name, replicas: workload.spec?.replicas ?? 1 };
}
