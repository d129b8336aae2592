/** Pods on Fargate: each has a node of its own, whose kubelet is as old as the pod. */
import { isAhead } from '../../../domain/plan/rollback/ahead.ts';
import { parseKubernetesVersion } from '../../../domain/core/version.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { listServed, NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import { type ClusterNode, controllerOf, isLive, type Pod } from '../../clients/kubernetes/objects.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';

/** Fargate's webhook puts it on the pods that it takes (EKS user guide, "Define which Pods use AWS Fargate when launched"). */
const FARGATE_PODS = 'eks.amazonaws.com/fargate-profile';
const FARGATE_NODES = 'eks.amazonaws.com/compute-type=fargate';

/** All pods that Fargate takes, of one namespace or of all. `keep` as for the port. */
export async function fargatePods(port: KubernetesPort, namespace?: string, keep?: (pod: Pod) => Pod | undefined): Promise<Pod[]> {
  const where = namespace === undefined ? {} : { namespace };
  return await listServed<Pod>(port, { apiVersion: 'v1', plural: 'pods', labelSelector: FARGATE_PODS, ...where }, keep);
}

/** Namespaces that have pods on Fargate, by name. */
export async function fargateNamespaces(port: KubernetesPort): Promise<string[]> {
  const found = new Set<string>();
  await fargatePods(port, undefined, ({ metadata }) => {
    if (metadata.namespace !== undefined) found.add(metadata.namespace);
    return undefined;
  });
  return [...found].toSorted();
}

/** Pods on Fargate nodes whose kubelet is not at `to`, those that are ending included: their node is still there. Without a namespace: of all. */
export async function oldFargatePods(port: KubernetesPort, to: string, namespace?: string): Promise<Pod[]> {
  const nodes = await listServed<ClusterNode>(port, { ...NODES, labelSelector: FARGATE_NODES }, slimNode);
  const old = new Set(nodes.filter((node) => kubeletMinor(node) !== to).map((node) => node.metadata.name));
  const isOld = (pod: Pod): boolean => old.has(pod.spec?.nodeName ?? '') && (isLive(pod) || pod.metadata.deletionTimestamp !== undefined);
  return await fargatePods(port, namespace, (pod) => (isOld(pod) ? pod : undefined));
}

/** Pods on Fargate nodes whose kubelet is newer than `to`, those that are ending included, and those that wait for a node of today's version. */
export async function newerFargatePods(port: KubernetesPort, to: string): Promise<Pod[]> {
  const newer = new Set(await newerFargateNodes(port, to));
  return await fargatePods(port, undefined, (pod) => {
    const { nodeName } = pod.spec ?? {};
    const counts = nodeName === undefined || nodeName === '' ? isLive(pod) : newer.has(nodeName);
    return counts && (isLive(pod) || pod.metadata.deletionTimestamp !== undefined) ? pod : undefined;
  });
}

/** Names of Fargate nodes whose kubelet is newer than `to`. */
export async function newerFargateNodes(port: KubernetesPort, to: string): Promise<string[]> {
  const target = parseKubernetesVersion(to);
  const nodes = await listServed<ClusterNode>(port, { ...NODES, labelSelector: FARGATE_NODES }, slimNode);
  return nodes.filter((node) => isAhead(kubeletMinor(node) ?? '', target)).map(({ metadata }) => metadata.name);
}

/** Why no rollout replaces a pod; undefined: its ReplicaSet or StatefulSet may. */
export function whyNobodyRolls(pod: Pod): string | undefined {
  const owner = controllerOf(pod);
  if (owner === undefined) return 'it has no controller: delete it and create it again';
  if (owner.kind === 'Job') return 'it runs to its end on the kubelet that it has';
  return owner.kind === 'ReplicaSet' || owner.kind === 'StatefulSet' ? undefined : `restart it through its own controller, ${owner.kind}`;
}
