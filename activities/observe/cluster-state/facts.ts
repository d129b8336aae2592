/** Small facts from large objects: pods that are not well, events, replicas. */
import type { SeenEvent, UnwellPod } from '../../../domain/health/sightings.ts';
import {
  type Condition,
  conditionOf,
  controllerOf,
  isLive,
  isTrue,
  makerOfSet,
  type Pod,
  type Workload,
} from '../../clients/kubernetes/objects.ts';
import type { KubeObject } from '../../contract/ports.ts';
import { defined } from '../../../domain/core/defined.ts';

interface Statuses {
  state?: { waiting?: { reason?: string } };
}

export type ListedPod = Pod & KubeObject<unknown, { containerStatuses?: Statuses[]; initContainerStatuses?: Statuses[] }>;

export type ListedEvent = KubeObject & {
  reason?: string;
  message?: string;
  involvedObject?: { kind?: string; name?: string; namespace?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  /** Of reporters that use events.k8s.io, whose events have no timestamps of the old kind. */
  eventTime?: string | null;
  series?: { lastObservedTime?: string };
};

const STARTING = ['ContainerCreating', 'PodInitializing'];

/** None of a pod that is Ready, finished or going. */
export function unwellPod(pod: ListedPod): UnwellPod[] {
  if (!isLive(pod) || isTrue(pod, 'Ready')) return [];
  const { namespace = '', name } = pod.metadata;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const reasons = statuses.flatMap(({ state }) => state?.waiting?.reason ?? []).filter((reason) => !STARTING.includes(reason));
  const waiting = reasons.includes('CrashLoopBackOff') ? 'CrashLoopBackOff' : reasons[0];
  const pending = pod.status?.phase === 'Pending' || pod.status?.phase === undefined;
  return [
    {
      namespace,
      name,
      owner: ownerOf(pod),
      pending,
      ...(pod.spec?.nodeName === undefined ? {} : { node: pod.spec.nodeName }),
      sinceMs: pending ? (timeOf(pod.metadata.creationTimestamp) ?? 0) : sinceOf(pod, 'Ready'),
      ...defined({ waiting }),
    },
  ];
}

/** "Deployment shop/web": ReplicaSets are named after it and their hash, Jobs of a CronJob after it and a time. */
function ownerOf(pod: ListedPod): string {
  const { namespace = '', name } = pod.metadata;
  const controller = controllerOf(pod);
  if (controller === undefined) return `Pod ${namespace}/${name}`;
  const deployment = makerOfSet(pod);
  if (deployment !== undefined) return `Deployment ${namespace}/${deployment}`;
  const run = controller.kind === 'Job' ? controller.name.replace(/-\d{6,}$/, '') : controller.name;
  return `${controller.kind} ${namespace}/${run}`;
}

/** What it does not say is "": about nothing, it explains nothing. */
export function eventOf(event: ListedEvent): SeenEvent {
  const { reason = '', message = '', involvedObject, metadata } = event;
  const { kind = '', name = '', namespace } = involvedObject ?? {};
  const firstMs = timeOf(event.firstTimestamp) ?? timeOf(event.eventTime) ?? timeOf(metadata.creationTimestamp) ?? 0;
  const lastMs = timeOf(event.series?.lastObservedTime) ?? timeOf(event.lastTimestamp) ?? firstMs;
  return { reason, message: message.slice(0, 400), kind, name, firstMs, lastMs, ...defined({ namespace }) };
}

/** By the names of Deployments, StatefulSets and DaemonSets; a count of none is left out by the server. */
export function availableOf({ spec, status }: Workload): { wanted: number; available: number } {
  const wanted = status?.desiredNumberScheduled ?? spec?.replicas ?? 0;
  return { wanted, available: status?.availableReplicas ?? status?.numberAvailable ?? status?.readyReplicas ?? 0 };
}

/** Since when a condition is as it is; where it is not there, since the object is. */
export function sinceOf(object: KubeObject<unknown, { conditions?: Condition[] }>, type: string): number {
  return timeOf(conditionOf(object, type)?.lastTransitionTime) ?? timeOf(object.metadata.creationTimestamp) ?? 0;
}

/** Epoch milliseconds; undefined where it is no time. */
export function timeOf(text: string | null | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
