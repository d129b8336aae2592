/** When a pod counts as available. */
import { conditionOf, isReady, isTerminating } from '../pods/pods.ts';
import type { KubeObject } from '../store.ts';

export interface Tally {
  replicas: number;
  readyReplicas: number;
  availableReplicas: number;
  /** When a ready pod will become available, if it has to wait. */
  dueMs?: number;
}

/** World time at which a ready pod has been ready for `minReadySeconds`; undefined while it is not ready. */
function availableAtMs(pod: KubeObject, minReadySeconds: number): number | undefined {
  if (!isReady(pod) || isTerminating(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  return Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') + minReadySeconds * 1000;
}

export function isAvailable(pod: KubeObject, minReadySeconds: number, nowMs: number): boolean {
  const at = availableAtMs(pod, minReadySeconds);
  return at !== undefined && at <= nowMs;
}

/** Counts pods that are not on their way out. */
export function tally(pods: readonly KubeObject[], minReadySeconds: number, nowMs: number): Tally {
  const result: Tally = { replicas: 0, readyReplicas: 0, availableReplicas: 0 };
  for (const pod of pods) {
    if (isTerminating(pod)) continue;
    result.replicas += 1;
    const at = availableAtMs(pod, minReadySeconds);
    if (at === undefined) continue;
    result.readyReplicas += 1;
    if (at <= nowMs) result.availableReplicas += 1;
    else result.dueMs = Math.min(result.dueMs ?? at, at);
  }
  return result;
}

/** The earlier of two times that may be absent. */
export function earliest(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
