/** What people may have done to a workload that holds up a node: one replica more and back, or one pod deleted. */
import { field } from '../../../domain/core/unknown.ts';
import type { WorkloadActivities } from '../../contract/belay-activities.ts';
import { beat, lastHeartbeat } from '../../runtime/context.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { annotate, type JsonOperation, lookThenPatch } from './patch-object.ts';
import { PLURALS } from './rollout.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import { objectTitle } from '../../../domain/core/text.ts';

/** On the workload's own metadata, so that nothing is rolled out. The number of replicas before. */
export const REPLICAS_BEFORE = 'belay.dev/replicas-before';

export type Scalable = { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string };

export function createWorkloadActivities(deps: KubernetesDeps): Omit<WorkloadActivities, 'cordonNode' | 'uncordonNode'> {
  return {
    async scaleByOne({ cluster, timing, ...which }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const result = await lookThenPatch<Workload>(port, refOf(which), scaleUp);
      if (result.kind === 'gone') throw failureOf('NotFound', `scaling ${objectTitle(which)}: it does not exist any more`);
      const before = readBefore(result.object) ?? 0;
      const after = before + 1;
      const ready = await waitUntil<true>(
        { timing, timeoutMs: timing.rolloutTimeoutMs, doing: `waiting for replica ${after} of ${objectTitle(which)}` },
        () => isReady(port, which, after),
      );
      return { before, after, ready: ready.kind === 'done' };
    },
    async scaleBack({ cluster, ...which }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const result = await lookThenPatch<Workload>(port, refOf(which), scaleDown);
      // Gone, or never scaled by us: nothing is left to restore.
      const changedByOthers = result.kind === 'there' && isChangedByOthers(result.seen);
      return { restored: !changedByOthers, changedByOthers };
    },
    async deletePod({ cluster, namespace, name, uid: wanted }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const ref: ResourceRef = { apiVersion: 'v1', plural: 'pods', namespace, name };
      const pod = await port.get(ref);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
      const { uid } = pod.metadata;
      // A StatefulSet gives the next pod the same name: the uid that people saw, or an earlier attempt's, tells whether the deed is done.
      const meant = wanted ?? uidOf(lastHeartbeat());
      if (meant !== undefined && meant !== uid) return;
      beat({ kind: 'deleting pod', uid });
      await port.delete(ref, { uid });
    },
  };
}

/** Looked at first: a workload that carries our before-image and more replicas than that is left alone. */
function scaleUp(workload: Workload): JsonOperation[] {
  const replicas = workload.spec?.replicas ?? 1;
  const known = readBefore(workload);
  if (known === undefined) {
    return [...annotate(workload, { [REPLICAS_BEFORE]: String(replicas) }), { op: 'add', path: '/spec/replicas', value: replicas + 1 }];
  }
  return replicas > known ? [] : [{ op: 'add', path: '/spec/replicas', value: known + 1 }];
}

function scaleDown(workload: Workload): JsonOperation[] {
  const known = readBefore(workload);
  const cleaned = annotate(workload, { [REPLICAS_BEFORE]: null });
  if (known === undefined || isChangedByOthers(workload) || workload.spec?.replicas === known) return cleaned;
  return [...cleaned, { op: 'add', path: '/spec/replicas', value: known }];
}

/** Replicas are neither ours nor the original: somebody decided otherwise meanwhile. An unreadable before-image is taken for that. */
function isChangedByOthers(workload: Workload): boolean {
  const text = workload.metadata.annotations?.[REPLICAS_BEFORE];
  if (text === undefined) return false;
  const known = readBefore(workload);
  const replicas = workload.spec?.replicas ?? 1;
  return known === undefined || (replicas !== known && replicas !== known + 1);
}

/** The number that the before-image says; undefined: there is none, or it cannot be read. */
export function readBefore(workload: Workload): number | undefined {
  const text = workload.metadata.annotations?.[REPLICAS_BEFORE] ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

async function isReady(
  port: KubernetesPort,
  which: Scalable,
  wanted: number,
): Promise<{ done: true; value: true } | { done: false; note: string }> {
  const workload = await port.get<Workload>(refOf(which));
  if (workload === undefined) throw failureOf('NotFound', `waiting for ${objectTitle(which)}: it does not exist any more`);
  const seen = (workload.status?.observedGeneration ?? 0) >= (workload.metadata.generation ?? 0);
  const ready = workload.status?.readyReplicas ?? 0;
  return seen && ready >= wanted ? { done: true, value: true } : { done: false, note: `${ready} of ${wanted} replicas are ready` };
}

export function refOf({ kind, namespace, name }: Scalable): ResourceRef {
  return { apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name };
}

function uidOf(details: unknown): string | undefined {
  const uid = field(details, 'uid');
  return typeof uid === 'string' ? uid : undefined;
}
