/** How things are named in findings, and which workloads they are about. */
import type { Resource } from './check.ts';
import type { WorkloadSeen } from './evidence-workloads.ts';
import { defined } from '../../core/defined.ts';

/** `namespace/name`, or the name alone. */
export function nameOf({ namespace, name }: { namespace?: string; name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** "Deployment shop/cart" */
export function placeOf({ kind, ...named }: Resource): string {
  return `${kind} ${nameOf(named)}`;
}

export function resourceOf(kind: string, { namespace, name }: { namespace?: string; name: string }): Resource {
  return { kind, name, ...defined({ namespace }) };
}

/** Jobs of CronJobs repeat what their CronJob's template says already. */
export function hasOwnTemplate({ kind, controller }: WorkloadSeen): boolean {
  return kind !== 'Job' || controller === undefined;
}

/** What the scheduler moves when a node goes. */
export function moves({ kind }: WorkloadSeen): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'ReplicaSet' || kind === 'ReplicationController';
}

/** One where the server was not told (apps/v1). */
export function replicasOf({ replicas }: WorkloadSeen): number {
  return replicas ?? 1;
}
