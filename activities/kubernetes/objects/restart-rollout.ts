/** Restarts a workload as `kubectl rollout restart` does, with a timestamp that is the same on every retry. */
import type { KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { editMap, lookThenPatch } from './patch-object.ts';
import type { WorkloadKind } from './rollout.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Looked at first: a second restart would roll every pod again. false: the workload is gone. */
export async function restartWorkload(port: KubernetesPort, ref: ResourceRef, workload: Workload, restartedAt: string): Promise<boolean> {
  if (isRestarted(workload, restartedAt)) return true;
  // Templates have metadata: without labels that its selector matches the API server takes no workload.
  const result = await lookThenPatch<Workload>(port, ref, ({ spec }) =>
    editMap('/spec/template/metadata/annotations', spec?.template?.metadata?.annotations, { [RESTARTED_AT]: restartedAt }),
  );
  return result.kind === 'there';
}

/** By that very timestamp. */
export const isRestarted = ({ spec }: Workload, restartedAt: string): boolean =>
  spec?.template?.metadata?.annotations?.[RESTARTED_AT] === restartedAt;

/** Its pods change only when they are deleted. */
export const isOnDelete = ({ spec }: Workload): boolean => spec?.updateStrategy?.type === 'OnDelete';

/** Why a changed template does not roll the workload by itself; undefined: it does. */
export function whyNotRolled(kind: WorkloadKind, workload: Workload): string | undefined {
  const { spec = {} } = workload;
  if (kind === 'Deployment' && spec.paused === true) return 'its rollout is paused: resume it';
  if (kind !== 'Deployment' && isOnDelete(workload)) return 'update strategy OnDelete: delete its pods to move them';
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  if (kind === 'StatefulSet' && partition > 0) return `partition ${partition}: pods below it are not rolled`;
  return undefined;
}
