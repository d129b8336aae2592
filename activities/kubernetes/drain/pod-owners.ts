/** From a pod to what can be scaled (ReplicaSet to Deployment, or StatefulSet), and to the people behind it. */
import type { BlockedNode } from '../../contract/karpenter.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { PLURALS } from '../objects/rollout.ts';
import { type Autoscaler, controllerOf, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';

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
  if (workload === undefined) return undefined;
  const scalers = (await port.list<Autoscaler>({ apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers', namespace })) ?? [];
  const scaler = scalers.find(({ spec }) => spec?.scaleTargetRef?.kind === kind && spec.scaleTargetRef.name === name);
  const replicas = workload.spec?.replicas ?? 1;
  return { kind, namespace, name, replicas, ...(scaler === undefined ? {} : { autoscaler: scaler.metadata.name }) };
}

/** At most so many characters of what somebody has written on an object. */
const PERSON_LENGTH = 80;

/** "namespace/name" of the workload that a pod belongs to, without asking: a ReplicaSet's name is its Deployment's and a hash. */
export function workloadName(pod: Pod): string | undefined {
  const owner = controllerOf(pod);
  if (owner === undefined || pod.metadata.namespace === undefined) return undefined;
  const name = owner.kind === 'ReplicaSet' ? owner.name.replace(/-[a-z0-9]+$/, '') : owner.name;
  return `${pod.metadata.namespace}/${name}`;
}

/**
 * Whose a pod is: the first of `keys` among the labels and annotations of the pod, else of its workload, else of its namespace, and each
 * further key that says something else. "team payments".
 */
export async function peopleOf(
  port: KubernetesPort,
  pod: Pod,
  workload: BlockedNode['workload'],
  keys: readonly string[],
): Promise<string[]> {
  const { namespace } = pod.metadata;
  if (keys.length === 0 || namespace === undefined) return [];
  const places = [
    async (): Promise<KubeObject | undefined> => pod,
    async () =>
      workload === undefined
        ? undefined
        : await port.get({ apiVersion: 'apps/v1', plural: PLURALS[workload.kind], namespace, name: workload.name }),
    async () => await port.get({ apiVersion: 'v1', plural: 'namespaces', name: namespace }),
  ];
  for (const place of places) {
    const object = await place();
    const told = object === undefined ? [] : toldBy(object, keys);
    if (told.length > 0) return told;
  }
  return [];
}

function toldBy({ metadata }: KubeObject, keys: readonly string[]): string[] {
  const said = new Map<string, string>();
  for (const key of keys) {
    const value = (metadata.labels?.[key] ?? metadata.annotations?.[key] ?? '').trim();
    const word = key.split('/').at(-1) ?? key;
    if (value !== '' && ![...said.values()].includes(value)) said.set(word, value);
  }
  return [...said].map(([word, value]) => `${word} ${value}`.slice(0, PERSON_LENGTH));
}
