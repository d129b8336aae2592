/** Lists of large clusters: what is kept of each object, and lists whose absence must not be taken for "none". */
import type { KubeObject, KubernetesPort, ListQuery } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ClusterNode, NodeClaim, Pod, Workload } from '../../clients/kubernetes/objects.ts';

/** The objects; throws Unavailable (it may be transient) where the server does not serve the type, although it is known to be in use. */
export async function listServed<T extends KubeObject>(
  port: KubernetesPort,
  query: ListQuery,
  keep?: (object: T) => T | undefined,
): Promise<T[]> {
  const found = await port.list<T>(query, keep);
  if (found !== undefined) return found;
  throw failureOf(
    'Unavailable',
    `listing ${query.plural}: the server does not serve ${query.apiVersion}; look at its CustomResourceDefinitions`,
  );
}

export const NODES = { apiVersion: 'v1', plural: 'nodes' } as const;

/** Without the images and volumes of its status, which are most of a Node's bytes. */
export function slimNode({ metadata, spec, status }: ClusterNode): ClusterNode {
  const { nodeInfo, conditions, capacity } = status ?? {};
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, annotations } = metadata;
  return {
    metadata: { name, uid, resourceVersion, ...given({ creationTimestamp, deletionTimestamp, labels, annotations }) },
    ...(spec?.taints === undefined ? {} : { spec: { taints: spec.taints } }),
    status: given({
      nodeInfo,
      capacity: capacity && given({ cpu: capacity.cpu }),
      conditions: conditions?.filter(({ type }) => type === 'Ready'),
    }),
  };
}

/** Whose it is, and how long it lives. */
export function slimClaim({ metadata, spec }: NodeClaim): NodeClaim {
  const { name, uid, resourceVersion, creationTimestamp, labels } = metadata;
  return {
    metadata: { name, uid, resourceVersion, ...given({ creationTimestamp, labels }) },
    spec: given({ expireAfter: spec?.expireAfter }),
  };
}

/** What says which proxy a pod runs, and whose it is. */
export function slimPod({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels, annotations, ownerReferences } = metadata;
  const names = (containers: NonNullable<Pod['spec']>['containers']) =>
    containers?.map(({ name, image }) => ({ name, ...given({ image }) }));
  return {
    metadata: { name, uid, resourceVersion, ...given({ namespace, deletionTimestamp, labels, annotations, ownerReferences }) },
    spec: given({ containers: names(spec?.containers), initContainers: names(spec?.initContainers), hostNetwork: spec?.hostNetwork }),
    status: given({ phase: status?.phase }),
  };
}

/** Names and the template's labels. */
export function slimWorkload({ metadata, spec }: Workload): Workload {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return {
    metadata: { name, uid, resourceVersion, ...given({ namespace, labels }) },
    spec: { template: { metadata: given({ labels: spec?.template?.metadata?.labels }) } },
  };
}

function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** All pods of one node, ended ones as well. */
export function podsOn(port: KubernetesPort, node: string): Promise<Pod[]> {
  return listServed<Pod>(port, { apiVersion: 'v1', plural: 'pods', fieldSelector: `spec.nodeName=${node}` });
}

export const ADMISSION = 'admissionregistration.k8s.io/v1';

export const MUTATING = { apiVersion: ADMISSION, plural: 'mutatingwebhookconfigurations' };

export const VALIDATING = { apiVersion: ADMISSION, plural: 'validatingwebhookconfigurations' };
