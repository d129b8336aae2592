/** Pods that a drain moves, and the classes of those that the scheduler cannot tell apart. */
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { at } from './at.ts';
import type { ClusterPod, PodClass } from './cluster.ts';
import { conditionOf, isTrue, type PodObject } from './objects.ts';
import type { PodVolumes } from './volumes.ts';
import type { Resources } from './resources.ts';
import { forbidsDisruption, isPlausible } from './read-nodes.ts';
import type { Workloads } from './read-workloads.ts';
import type { Terms } from './terms.ts';

/** Kubernetes' default. */
const GRACE_S = 30;
/** They name one pod of many. */
const OWN_LABELS = ['statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index', 'batch.kubernetes.io/job-completion-index'];
const CRITICAL = ['system-cluster-critical', 'system-node-critical'];

interface Reading {
  snapshot: Snapshot;
  resources: Resources;
  volumesOf: (pod: PodObject) => PodVolumes;
  workloads: Workloads;
  terms: Terms;
  zones: readonly string[];
  nodeIndex: ReadonlyMap<string, number>;
}

export function readPods(objects: readonly PodObject[], of: Reading): { pods: ClusterPod[]; classes: PodClass[] } {
  const { snapshot, resources, volumesOf, workloads, terms, zones, nodeIndex } = of;
  const pods: ClusterPod[] = [];
  const classes: PodClass[] = [];
  const byKey = new Map<string, number>();
  for (const pod of objects) {
    const { namespace = '', name, labels = {} } = pod.metadata;
    const spec = pod.spec ?? {};
    const volumes = volumesOf(pod);
    const shared = OWN_LABELS.some((label) => label in labels)
      ? Object.fromEntries(Object.entries(labels).filter(([label]) => !OWN_LABELS.includes(label)))
      : labels;
    const { nodeSelector, affinity, tolerations, topologySpreadConstraints, containers, initContainers, hostNetwork, priorityClassName } =
      spec;
    const requests = [...(containers ?? []), ...(initContainers ?? [])].map(({ resources: each, restartPolicy }) => [
      each?.requests,
      restartPolicy,
    ]);
    const { terminationGracePeriodSeconds: grace = GRACE_S, overhead } = spec;
    const key = JSON.stringify([
      [namespace, shared, requests, overhead, hostNetwork, priorityClassName, grace, volumes],
      [nodeSelector, affinity, tolerations, topologySpreadConstraints],
    ]);
    let index = byKey.get(key);
    if (index === undefined) {
      const found = volumes.zones?.map((zone) => zones.indexOf(zone));
      index =
        classes.push({
          spec,
          request: resources.ofPod(spec, volumes.count),
          zone: found === undefined ? -1 : found.length === 1 ? at(found, 0) : -2,
          hostBound: volumes.hostBound,
          ...terms.ofPod(spec, namespace),
          counted: [],
          volumes: volumes.count,
          hostNetwork: hostNetwork === true,
          graceMs: grace * 1_000,
          critical: CRITICAL.includes(priorityClassName ?? ''),
        }) - 1;
      byKey.set(key, index);
      terms.meet(index, namespace, shared);
    }
    const workload = workloads.of(pod);
    const own = at(workloads.workloads, workload);
    own.pods.push(pods.length);
    const startMs = startOf(pod);
    if (startMs !== undefined) own.starts.push(startMs);
    pods.push({
      namespace,
      name,
      class: index,
      workload,
      node: nodeIndex.get(spec.nodeName ?? '') ?? -1,
      ready: isTrue(pod, 'Ready'),
      budgets: [],
      doNotDisrupt: forbidsDisruption(pod, snapshot.header.takenAt),
      bornMs: bornMs(pod),
    });
  }
  for (const [index, counted] of terms.counted().entries()) at(classes, index).counted = counted;
  return { pods, classes };
}

const SECOND_MS = 1_000;

/** API servers give whole seconds; those of one second are told apart by their UID. */
function bornMs({ metadata: { creationTimestamp = '', uid } }: PodObject): number {
  const withinSecond = Number.parseInt(uid.slice(0, 8), 16) / 2 ** 32;
  return (Date.parse(creationTimestamp) || 0) + (Number.isNaN(withinSecond) ? 0 : withinSecond * SECOND_MS);
}

/** From scheduled to Ready. A pod whose containers were restarted has become Ready more than once. */
function startOf(pod: PodObject): number | undefined {
  if ((pod.status?.containerStatuses ?? []).some(({ restartCount = 0 }) => restartCount > 0)) return undefined;
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  const from = conditionOf(pod, 'PodScheduled')?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  const ms = Date.parse(ready.lastTransitionTime ?? '') - Date.parse(from ?? '');
  return isPlausible(ms, 30) ? ms : undefined;
}
