/** How many pods a rolling update may add and take away: the arithmetic of the Deployment controller, without a store. */
import { scaledValue } from '../../quantity.ts';

export interface ReplicaCounts {
  name: string;
  desired: number;
  available: number;
}

/** In pods. */
export interface RollingLimits {
  surge: number;
  maxUnavailable: number;
}

/** Of a Deployment's strategy; one pod may be unavailable where neither limit would let the rollout go on. */
export function rollingLimits(strategy: { maxSurge?: unknown; maxUnavailable?: unknown } | undefined, replicas: number): RollingLimits {
  const surge = scaledValue(strategy?.maxSurge ?? '25%', replicas, 'up');
  const floored = scaledValue(strategy?.maxUnavailable ?? '25%', replicas, 'down');
  return { surge, maxUnavailable: surge === 0 && floored === 0 ? 1 : Math.min(floored, replicas) };
}

export interface RollingInput {
  replicas: number;
  maxSurge?: unknown;
  maxUnavailable?: unknown;
  current: ReplicaCounts;
  /** Oldest first. */
  old: ReplicaCounts[];
}

/** New sizes by ReplicaSet; what stays as it is, is left out. */
export function rollingSizes(input: RollingInput): Record<string, number> {
  const { replicas, current } = input;
  const { surge, maxUnavailable } = rollingLimits(input, replicas);
  const total = input.old.reduce((sum, set) => sum + set.desired, current.desired);
  if (current.desired > replicas) return { [current.name]: replicas };
  if (current.desired < replicas) {
    const grow = Math.min(replicas + surge - total, replicas - current.desired);
    if (grow > 0) return { [current.name]: current.desired + grow };
  }
  return shrinkOld(input.old, {
    // Pods of the new set that are not available yet count as if they were needed.
    byTotal: total - (replicas - maxUnavailable) - (current.desired - current.available),
    byAvailable: input.old.reduce((sum, set) => sum + set.available, current.available) - (replicas - maxUnavailable),
  });
}

function shrinkOld(old: ReplicaCounts[], limit: { byTotal: number; byAvailable: number }): Record<string, number> {
  const sizes: Record<string, number> = {};
  let rest = limit.byTotal;
  // First what serves nobody anyway.
  for (const set of old) {
    const unhealthy = Math.min(rest, set.desired - set.available);
    if (unhealthy <= 0) continue;
    sizes[set.name] = set.desired - unhealthy;
    rest -= unhealthy;
  }
  let healthy = Math.min(rest, limit.byAvailable);
  for (const set of old) {
    const size = sizes[set.name] ?? set.desired;
    const less = Math.min(healthy, size);
    if (less <= 0) continue;
    sizes[set.name] = size - less;
    healthy -= less;
  }
  return sizes;
}
