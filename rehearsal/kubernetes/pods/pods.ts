/** Questions about pods and nodes that the API server and several controllers ask. */
import type { KubeObject } from '../store.ts';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  observedGeneration?: number;
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  const conditions: Condition[] | undefined = object.status?.conditions;
  return conditions?.find((condition) => condition.type === type);
}

/** Is the Ready condition of a pod or a node True? */
export function isReady(object: KubeObject): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Succeeded or Failed: the pod runs no more and holds no capacity. */
export function isFinished(pod: KubeObject): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** The owner that controls an object. */
export function controllerOf(object: KubeObject): { kind: string; name: string; uid: string } | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

/** "1.26.2" of an image tagged 1.26.2 or v1.26.2-alpine; undefined for other tags. */
export function imageVersion(image: unknown): string | undefined {
  return typeof image === 'string' ? /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] : undefined;
}

/** Sets a condition on a copy; the transition time moves only when the status does. */
export function setCondition(object: KubeObject, condition: Condition, at: string): void {
  object.status ??= {};
  const conditions: Condition[] = object.status.conditions ?? [];
  const known = conditions.find((candidate) => candidate.type === condition.type);
  const lastTransitionTime = known?.status === condition.status ? (known.lastTransitionTime ?? at) : at;
  const next = { ...condition, lastTransitionTime };
  object.status.conditions = known
    ? conditions.map((candidate) => (candidate.type === condition.type ? { ...candidate, ...next } : candidate))
    : [...conditions, next];
}

/** RFC 3339 in seconds, as Kubernetes writes times. */
export function kubeTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
