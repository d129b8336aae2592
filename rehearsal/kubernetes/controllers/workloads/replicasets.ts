/** ReplicaSets: as many pods as asked for. */
import { isFinished, isReady, isTerminating } from '../../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import { keyed } from '../keyed.ts';
import { createPod, deletePod } from './pod-control.ts';
import { earliest, tally } from '../readiness.ts';
import { controlledBy, controllerKey, podFromTemplate, withoutZeros, writeStatus } from './templates.ts';

export const replicaSets = keyed({
  name: 'replicasets',
  plural: 'replicasets',
  concerns: { pods: controllerKey('ReplicaSet') },
  reconcile({ store, clock }, set) {
    if (isTerminating(set)) return undefined;
    const nowMs = clock.nowMs();
    const living = controlledBy(store, set, 'Pod').filter((pod) => !isFinished(pod) && !isTerminating(pod));
    let { dueMs } = tally(living, set.spec.minReadySeconds ?? 0, nowMs);
    const missing = (set.spec.replicas ?? 1) - living.length;
    for (let index = 0; index < missing; index += 1) {
      const created = createPod(store, set, podFromTemplate(set, { generateName: `${set.metadata.name}-` }, {}), nowMs);
      if (created.pod === undefined) {
        // As the real one: what fails once would fail for its siblings too.
        dueMs = earliest(dueMs, created.againMs);
        break;
      }
      living.push(created.pod);
    }
    const surplus = missing < 0 ? leastWanted(living).slice(0, -missing) : [];
    for (const pod of surplus) deletePod(store, set, pod, nowMs);
    const kept = living.filter((pod) => !surplus.includes(pod));
    report(store, set, kept, nowMs);
    return dueMs;
  },
});

/** The order in which pods are given up: without a node, not ready, cheaper by annotation, younger. */
function leastWanted(pods: KubeObject[]): KubeObject[] {
  const rank = (pod: KubeObject): [number, number, number, string] => [
    pod.spec?.nodeName ? 1 : 0,
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
    pod.metadata.creationTimestamp ?? '',
  ];
  return [...pods].sort((left, right) => {
    const [boundL, readyL, costL, createdL] = rank(left);
    const [boundR, readyR, costR, createdR] = rank(right);
    return boundL - boundR || readyL - readyR || costL - costR || createdR.localeCompare(createdL);
  });
}

function report(store: ObjectStore, set: KubeObject, pods: KubeObject[], nowMs: number): void {
  const { replicas, readyReplicas, availableReplicas } = tally(pods, set.spec.minReadySeconds ?? 0, nowMs);
  const counts = { replicas, fullyLabeledReplicas: replicas, readyReplicas, availableReplicas };
  const status = { ...set.status, ...counts, observedGeneration: set.metadata.generation };
  writeStatus(store, 'replicasets', set, withoutZeros(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']));
}
