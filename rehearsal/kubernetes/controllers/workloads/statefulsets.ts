/** StatefulSets: pods with ordinals, made in order, replaced from the highest one down. */
import { isReady, isTerminating } from '../../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import { keyed } from '../keyed.ts';
import { createPod, deletePod } from './pod-control.ts';
import { earliest, tally } from '../readiness.ts';
import { revisionHash } from './revisions.ts';
import { controlledBy, controllerKey, podFromTemplate, writeStatus } from './templates.ts';

const REVISION_LABEL = 'controller-revision-hash';

export const statefulSets = keyed({
  name: 'statefulsets',
  plural: 'statefulsets',
  concerns: { pods: controllerKey('StatefulSet') },
  reconcile({ store, clock }, set) {
    if (isTerminating(set)) return undefined;
    const nowMs = clock.nowMs();
    const own = new Map(controlledBy(store, set, 'Pod').map((pod) => [pod.metadata.name, pod]));
    const revision = `${set.metadata.name}-${revisionHash(store, set)}`;
    const filled = fill(store, set, own, revision, nowMs);
    if (filled === true) replaceOne(store, set, own, revision, nowMs);
    const availableMs = report(store, set, revision, nowMs);
    return typeof filled === 'number' ? earliest(filled, availableMs) : availableMs;
  },
});

/**
 * Creates what is missing and gives up what is too much; true when all ordinals are there and ready. A number: when to look again because a
 * pod could not be created.
 */
function fill(store: ObjectStore, set: KubeObject, own: Map<string, KubeObject>, revision: string, nowMs: number): boolean | number {
  const replicas: number = set.spec.replicas ?? 1;
  const ordered = set.spec.podManagementPolicy !== 'Parallel';
  let whole = true;
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const name = podName(set, ordinal);
    const pod = own.get(name);
    if (pod && isReady(pod) && !isTerminating(pod)) continue;
    whole = false;
    if (!pod && !store.get('pods', name, set.metadata.namespace)) {
      const labels = {
        [REVISION_LABEL]: revision,
        'statefulset.kubernetes.io/pod-name': name,
        'apps.kubernetes.io/pod-index': String(ordinal),
      };
      const created = podFromTemplate(set, { name }, labels);
      created.spec.hostname = name;
      bindClaims(created, set);
      const result = createPod(store, set, created, nowMs);
      if (result.pod === undefined) return result.againMs;
    }
    // A pod of an old revision that never gets ready must not keep its replacement away.
    const stuck = pod !== undefined && !isTerminating(pod) && pod.metadata.labels?.[REVISION_LABEL] !== revision;
    if (ordered) return stuck && ordinal === replicas - 1;
  }
  const surplus = [...own.values()].filter((pod) => ordinalOf(pod) >= replicas).sort((left, right) => ordinalOf(right) - ordinalOf(left));
  for (const pod of ordered ? surplus.slice(0, 1) : surplus) {
    if (!isTerminating(pod)) deletePod(store, set, pod, nowMs);
  }
  return whole && surplus.length === 0;
}

/** Each ordinal has claims of its own, by which its volumes stay with it (kubernetes pkg/controller/statefulset/stateful_set_utils.go: updateStorage). */
function bindClaims(pod: KubeObject, set: KubeObject): void {
  const templates: { metadata?: { name?: string } }[] = set.spec.volumeClaimTemplates ?? [];
  if (templates.length === 0) return;
  const own = templates.map(({ metadata }) => ({
    name: metadata?.name ?? '',
    persistentVolumeClaim: { claimName: `${metadata?.name}-${pod.metadata.name}` },
  }));
  const others = (pod.spec.volumes ?? []).filter((volume: { name: string }) => !own.some(({ name }) => name === volume.name));
  pod.spec.volumes = [...others, ...own];
}

function replaceOne(store: ObjectStore, set: KubeObject, own: Map<string, KubeObject>, revision: string, nowMs: number): void {
  if (set.spec.updateStrategy?.type === 'OnDelete') return;
  const partition: number = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (let ordinal = (set.spec.replicas ?? 1) - 1; ordinal >= partition; ordinal -= 1) {
    const pod = own.get(podName(set, ordinal));
    if (!pod || isTerminating(pod)) return;
    if (pod.metadata.labels?.[REVISION_LABEL] !== revision) return deletePod(store, set, pod, nowMs);
    if (!isReady(pod)) return;
  }
}

/** Returns when a ready pod will become available, if it has to wait. */
function report(store: ObjectStore, set: KubeObject, revision: string, nowMs: number): number | undefined {
  const pods = controlledBy(store, set, 'Pod').filter((pod) => !isTerminating(pod));
  const { readyReplicas, availableReplicas, dueMs } = tally(pods, set.spec.minReadySeconds ?? 0, nowMs);
  const updated = pods.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === revision).length;
  const finished = updated === pods.length && updated === (set.spec.replicas ?? 1);
  const currentRevision: string = finished ? revision : (set.status?.currentRevision ?? revision);
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas,
    availableReplicas,
    currentReplicas: pods.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === currentRevision).length,
    updatedReplicas: updated,
    currentRevision,
    updateRevision: revision,
    collisionCount: 0,
  };
  writeStatus(store, 'statefulsets', set, status);
  return dueMs;
}

function podName(set: KubeObject, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

function ordinalOf(pod: KubeObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? 0);
}
