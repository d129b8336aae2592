/** How things are named in findings. */
import type { Resource } from './check.ts';
import type { WorkloadSeen } from './evidence.ts';

/** `namespace/name`, or the name alone. */
export function nameOf({ namespace, name }: { namespace?: string; name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** "Deployment shop/cart" */
export function placeOf({ kind, ...named }: Resource): string {
  return `${kind} ${nameOf(named)}`;
}

export function resourceOf(kind: string, { namespace, name }: { namespace?: string; name: string }): Resource {
  return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** One where the server was not told (apps/v1). */
export function replicasOf({ replicas }: WorkloadSeen): number {
  return replicas ?? 1;
}
