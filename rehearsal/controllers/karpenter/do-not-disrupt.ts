/** The annotation with which pods and nodes keep Karpenter away. */
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { durationMinutes } from './schedule.ts';

export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** The annotation is "true", or a duration that counts from the pod's start. */
export function holds(world: World, pod: KubeObject): boolean {
  const value = pod.metadata.annotations?.[DO_NOT_DISRUPT];
  if (value === undefined) return false;
  const minutes = durationMinutes(value);
  if (minutes === undefined) return value === 'true';
  return world.clock.nowMs() - Date.parse(String(pod.status?.startTime ?? pod.metadata.creationTimestamp)) < minutes * 60_000;
}
