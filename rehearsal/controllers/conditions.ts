/** Status conditions, written as controllers write them. */
import { type Condition, conditionOf, kubeTime, setCondition as put } from '../kubernetes/pods/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';

export const isTrue = (object: KubeObject, type: string): boolean => conditionOf(object, type)?.status === 'True';

/** Sets a condition on a copy inside store.update(). */
export function setCondition(
  world: World,
  copy: KubeObject,
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason = type,
  message = '',
): void {
  put(copy, { type, status, reason, message }, kubeTime(world.clock.nowMs()));
}

export function clearCondition(copy: KubeObject, type: string): void {
  if (copy.status?.conditions === undefined) return;
  copy.status.conditions = copy.status.conditions.filter((c: Condition) => c.type !== type);
}
