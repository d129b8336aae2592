/** Pods, slim: a cluster may have 50,000 of them. */
import { podRevision, proxyVersion } from '../../../istio/mesh/inventory.ts';
import { type Condition, controllerOf } from '../../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { claimsOf, type PodSpec } from './workloads.ts';
import { given } from '../../../runtime/given.ts';
import { NOT_SAFE_TO_EVICT } from '../../../../domain/readiness/checks/workloads/pods.ts';
import { type Toleration, toleratesKarpentersDrain } from '../../../../domain/facts/disruption/tolerations.ts';
import type { PodSeen } from '../../../../domain/readiness/model/evidence-workloads.ts';

type Listed = KubeObject<
  PodSpec & { nodeName?: string; tolerations?: Toleration[] },
  { phase?: string; conditions?: Condition[]; containerStatuses?: { state?: { waiting?: { reason?: string } } }[] }
>;

const DO_NOT_DISRUPT = ['karpenter.sh/do-not-disrupt', 'karpenter.sh/do-not-evict'];
/** cluster-autoscaler's own way to say so. */
const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

export async function readPods(port: KubernetesPort): Promise<PodSeen[]> {
  const pods: PodSeen[] = [];
  await port.list<Listed>({ apiVersion: 'v1', plural: 'pods' }, (pod) => {
    pods.push(podSeen(pod));
    return undefined;
  });
  return pods;
}

function podSeen(pod: Listed): PodSeen {
  const { metadata, spec = {}, status = {} } = pod;
  const controller = controllerOf(pod);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    phase: status.phase ?? 'Unknown',
    labels: metadata.labels ?? {},
    createdAt: metadata.creationTimestamp ?? '',
    claims: claimsOf(spec),
    ...given('node', spec.nodeName),
    ...(toleratesKarpentersDrain(spec.tolerations) ? { toleratesDrain: true } : {}),
    ...(controller === undefined ? {} : { controller: { kind: controller.kind, name: controller.name } }),
    ...given('doNotDisrupt', heldBy(metadata.annotations)),
    ...given('waiting', waitingReason(status)),
    ...given('proxy', proxyOf(pod)),
  };
}

function heldBy(annotations: Record<string, string> = {}): string | undefined {
  const named = DO_NOT_DISRUPT.map((key) => annotations[key]).find((value) => value !== undefined && value !== 'false');
  return named ?? (annotations[SAFE_TO_EVICT] === 'false' ? NOT_SAFE_TO_EVICT : undefined);
}

function waitingReason({ containerStatuses = [] }: NonNullable<Listed['status']>): string | undefined {
  return containerStatuses
    .map(({ state }) => state?.waiting?.reason)
    .find((reason) => reason !== undefined && reason !== 'ContainerCreating' && reason !== 'PodInitializing');
}

function proxyOf(pod: Listed): PodSeen['proxy'] | undefined {
  const [version, revision] = [proxyVersion(pod), podRevision(pod)];
  return version === undefined || revision === undefined ? undefined : { revision, version };
}
