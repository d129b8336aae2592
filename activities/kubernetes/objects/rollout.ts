/** Has a rollout come to its end? Pure; one answer for Deployments, StatefulSets and DaemonSets. */
import { conditionOf, type Workload } from '../../clients/kubernetes/objects.ts';

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

export const WORKLOAD_KINDS: readonly WorkloadKind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

export const PLURALS: Record<WorkloadKind, string> = { Deployment: 'deployments', StatefulSet: 'statefulsets', DaemonSet: 'daemonsets' };

/** undefined: complete. Otherwise what is still missing, in a few words. */
export function rolloutLack(kind: WorkloadKind, workload: Workload): string | undefined {
  const { spec = {}, status = {}, metadata } = workload;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return 'the change is not seen yet';
  if (kind === 'DaemonSet') {
    const wanted = status.desiredNumberScheduled ?? 0;
    return lack(wanted, status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0);
  }
  const progressing = conditionOf(workload, 'Progressing');
  if (kind === 'Deployment' && progressing?.status === 'False')
    return `the rollout is stuck (${progressing.reason ?? 'Progressing False'})`;
  const wanted = spec.replicas ?? 1;
  if ((status.replicas ?? 0) > wanted) return `${(status.replicas ?? 0) - wanted} old pods are still there`;
  // Older StatefulSet controllers do not fill availableReplicas.
  return lack(
    wanted,
    updatedReplicas(kind, workload),
    Math.min(status.readyReplicas ?? 0, status.availableReplicas ?? status.readyReplicas ?? 0),
  );
}

/** A StatefulSet controller stops counting updatedReplicas when the update is over (both revisions are the same). */
function updatedReplicas(kind: WorkloadKind, { status = {} }: Workload): number {
  const over = kind === 'StatefulSet' && status.updateRevision !== undefined && status.updateRevision === status.currentRevision;
  return over ? (status.replicas ?? 0) : (status.updatedReplicas ?? 0);
}

function lack(wanted: number, updated: number, available: number): string | undefined {
  if (updated < wanted) return `${updated} of ${wanted} pods are new`;
  if (available < wanted) return `${available} of ${wanted} pods are available`;
  return undefined;
}
