/** DaemonSets: one pod on each node that fits, replaced a few at a time. */
import { isFinished, isReady, isTerminating, kubeTime } from '../../pods/pods.ts';
import { scaledValue } from '../../quantity.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import { keyed, keyOf } from '../keyed.ts';
import { selectsNode, untolerated } from '../placement.ts';
import { createPod, deletePod } from './pod-control.ts';
import { earliest, isAvailable, tally } from '../readiness.ts';
import { revisionHash } from './revisions.ts';
import { controlledBy, controllerKey, podFromTemplate, withoutZeros, writeStatus } from './templates.ts';

const HASH = 'controller-revision-hash';
const NODE_CONDITIONS = ['not-ready', 'unreachable'].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
}));
/** What a pod on the node's own network tolerates besides. */
const NO_NETWORK = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' };
const NODE_PRESSURES = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoSchedule',
}));

export const daemonSets = keyed({
  name: 'daemonsets',
  plural: 'daemonsets',
  concerns: { pods: controllerKey('DaemonSet'), nodes: (_node, store) => store.list('daemonsets').map(keyOf) },
  reconcile({ store, clock }, set) {
    return isTerminating(set) ? undefined : reconcile(store, set, store.list('nodes'), controlledBy(store, set, 'Pod'), clock.nowMs());
  },
});

/** When to look again: a pod could not be created, or will be available only later. */
function reconcile(store: ObjectStore, set: KubeObject, nodes: KubeObject[], own: KubeObject[], nowMs: number): number | undefined {
  const hash = revisionHash(store, set);
  const template = {
    ...set.spec.template.spec,
    tolerations: [
      ...(set.spec.template.spec.tolerations ?? []),
      ...NODE_CONDITIONS,
      ...NODE_PRESSURES,
      ...(set.spec.template.spec.hostNetwork ? [NO_NETWORK] : []),
    ],
  };
  const populated = new Set(own.map((pod) => pod.spec?.nodeName));
  // A taint NoSchedule keeps new pods away and lets those stay that are there.
  const effects = (node: KubeObject) => (populated.has(node.metadata.name) ? ['NoExecute'] : ['NoSchedule', 'NoExecute']);
  const wanted = new Set(nodes.filter((node) => fits(template, node, effects(node))).map((node) => node.metadata.name));
  const perNode = new Map<string, KubeObject>();
  for (const pod of own) {
    const nodeName: string = pod.spec?.nodeName ?? '';
    if ((!wanted.has(nodeName) || isFinished(pod)) && !isTerminating(pod)) deletePod(store, set, pod, nowMs);
    else perNode.set(nodeName, pod);
  }
  let againMs: number | undefined;
  for (const node of nodes) {
    if (!wanted.has(node.metadata.name) || perNode.has(node.metadata.name)) continue;
    const created = createPod(store, set, podFor(set, template, node, hash, nowMs), nowMs);
    if (created.pod === undefined) againMs = created.againMs;
    else perNode.set(node.metadata.name, created.pod);
  }
  const pods = [...perNode].filter(([node]) => wanted.has(node)).map(([, pod]) => pod);
  const available = (pod: KubeObject) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
  if (set.spec.updateStrategy?.type !== 'OnDelete')
    for (const pod of outdated(set, pods, wanted.size, hash, available)) deletePod(store, set, pod, nowMs);
  report(store, set, pods, wanted.size, hash, available);
  return earliest(againMs, tally(pods, set.spec.minReadySeconds ?? 0, nowMs).dueMs);
}

function fits(template: KubeObject['spec'], node: KubeObject, effects: string[]): boolean {
  return !isTerminating(node) && selectsNode(template, node) && untolerated(template, node, effects) === undefined;
}

function podFor(set: KubeObject, template: KubeObject['spec'], node: KubeObject, hash: string, nowMs: number): KubeObject {
  const pod = podFromTemplate(set, { generateName: `${set.metadata.name}-` }, { [HASH]: hash });
  pod.spec = { ...template, nodeName: node.metadata.name };
  pod.status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: kubeTime(nowMs) }] };
  return pod;
}

/** Pods of an old template that may be given up now. */
function outdated(
  set: KubeObject,
  pods: KubeObject[],
  wanted: number,
  hash: string,
  available: (pod: KubeObject) => boolean,
): KubeObject[] {
  const maxUnavailable = Math.max(1, scaledValue(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted, 'up'));
  const old = pods.filter((pod) => pod.metadata.labels?.[HASH] !== hash && !isTerminating(pod));
  const unavailableOld = old.filter((pod) => !available(pod));
  const spare = maxUnavailable - (wanted - pods.filter(available).length);
  const healthyOld = old.filter(available).slice(0, Math.max(0, spare));
  return [...unavailableOld, ...healthyOld];
}

function report(
  store: ObjectStore,
  set: KubeObject,
  pods: KubeObject[],
  wanted: number,
  hash: string,
  available: (pod: KubeObject) => boolean,
): void {
  const living = pods
    .map((pod) => store.get('pods', pod.metadata.name, pod.metadata.namespace))
    .filter((pod): pod is KubeObject => pod !== undefined && !isTerminating(pod));
  const numberAvailable = living.filter(available).length;
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation,
    desiredNumberScheduled: wanted,
    currentNumberScheduled: living.length,
    updatedNumberScheduled: living.filter((pod) => pod.metadata.labels?.[HASH] === hash).length,
    numberReady: living.filter(isReady).length,
    numberAvailable,
    numberUnavailable: wanted - numberAvailable,
    numberMisscheduled: 0,
  };
  const optional = ['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable'];
  writeStatus(store, 'daemonsets', set, withoutZeros(status, optional));
}
