/** The kubelets of all nodes: pods start after a while, and end. */
import type { World } from '../../world/world.ts';
import { recordEvent } from '../events.ts';
import { workloadOf } from '../pods/workload.ts';
import { conditionOf, isFinished, isReady, isTerminating, kubeTime, setCondition } from '../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { keyed, keyOf } from './keyed.ts';

/** A pod with this annotation runs but never gets ready: `not-ready`, `image-pull-back-off`, `crash-loop`; `volume-attached-elsewhere`: it does not start. */
export const FAULT_ANNOTATION = 'twin.belay.dev/fault';

/** Words and pace of kube-controller-manager's attach-detach controller. */
const MULTI_ATTACH =
  'Multi-Attach error for volume "pvc-0a11aa11" Volume is already exclusively attached to one node and can\'t be attached to another';
const ATTACH_AGAIN_MS = 122_000;

/** Containers of the twin end quickly when they are told to. */
const STOP_MS = 2000;

export const kubelet = keyed({
  name: 'kubelet',
  plural: 'pods',
  concerns: { nodes: (node, store) => store.podsOn(node.metadata.name).map(keyOf) },
  reconcile(world, pod) {
    const { store } = world;
    const nowMs = world.clock.nowMs();
    const nodeName: string | undefined = pod.spec?.nodeName;
    const node = nodeName === undefined ? undefined : store.get('nodes', nodeName);
    if (!node || !isReady(node)) return undefined;
    if (isTerminating(pod)) return end(world, pod, nowMs);
    if (pod.status?.phase === 'Pending') return start(world, pod, node, nowMs);
    if (!isFinished(pod) && conditionOf(pod, 'Ready')?.reason === 'NodeNotReady') recover(store, pod, nowMs);
    return undefined;
  },
});

/** Of the pod's workload, where it was measured. */
function tempoOf({ tempo, store }: World, pod: KubeObject): NonNullable<World['tempo']['workloads']>[string] | undefined {
  return tempo.workloads === undefined ? undefined : tempo.workloads[workloadOf(store, pod)];
}

/** Removes the pod when its containers have ended; otherwise returns when that will be. */
function end(world: World, pod: KubeObject, nowMs: number): number | undefined {
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const toldMs = Date.parse(pod.metadata.deletionTimestamp ?? '') - graceMs;
  const goneMs = toldMs + Math.min(graceMs, tempoOf(world, pod)?.podStopMs ?? STOP_MS);
  if (nowMs < goneMs) return goneMs;
  if (pod.metadata.deletionGracePeriodSeconds !== undefined) {
    world.store.delete('pods', pod.metadata.name, pod.metadata.namespace, { gracePeriodSeconds: 0 });
  }
  return undefined;
}

/** Runs the pod when its start has taken long enough; otherwise returns when that will be. */
function start(world: World, pod: KubeObject, node: KubeObject, nowMs: number): number | undefined {
  const boundAt = conditionOf(pod, 'PodScheduled')?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? kubeTime(nowMs);
  // A world that is being brought to rest is in a hurry.
  const startMs = world.tempo.podStartMs === 0 ? 0 : (tempoOf(world, pod)?.podStartMs ?? world.tempo.podStartMs);
  const readyMs = Date.parse(boundAt) + startMs;
  if (nowMs < readyMs) return readyMs;
  const fault = pod.metadata.annotations?.[FAULT_ANNOTATION];
  if (fault === 'volume-attached-elsewhere') {
    recordEvent(world.store, {
      about: pod,
      type: 'Warning',
      reason: 'FailedAttachVolume',
      message: MULTI_ATTACH,
      component: 'attachdetach-controller',
      nowMs,
      quietMs: ATTACH_AGAIN_MS,
    });
    return nowMs + ATTACH_AGAIN_MS;
  }
  const at = kubeTime(readyMs);
  world.store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => {
    const podIP = copy.status?.podIP ?? podIp(pod, node);
    copy.status = {
      ...copy.status,
      phase: fault === 'image-pull-back-off' ? 'Pending' : 'Running',
      startTime: boundAt,
      hostIP: hostIp(node),
      hostIPs: [{ ip: hostIp(node) }],
      podIP,
      podIPs: [{ ip: podIP }],
      containerStatuses: (copy.spec.containers ?? []).map((container: Container) => containerStatus(container, at, fault)),
      ...(copy.spec.initContainers
        ? { initContainerStatuses: copy.spec.initContainers.map((each: Container) => initStatus(each, at)) }
        : {}),
    };
    const ready = fault === undefined ? 'True' : 'False';
    const unready = fault === undefined ? {} : { reason: 'ContainersNotReady', message: `containers with unready status: [${fault}]` };
    setCondition(copy, { type: 'PodReadyToStartContainers', status: 'True' }, at);
    setCondition(copy, { type: 'Initialized', status: 'True' }, at);
    setCondition(copy, { type: 'PodScheduled', status: 'True' }, boundAt);
    setCondition(copy, { type: 'ContainersReady', status: ready, ...unready }, at);
    setCondition(copy, { type: 'Ready', status: ready, ...unready }, at);
  });
  return undefined;
}

function recover(store: ObjectStore, pod: KubeObject, nowMs: number): void {
  store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => {
    setCondition(copy, { type: 'Ready', status: 'True', reason: '' }, kubeTime(nowMs));
    delete conditionOf(copy, 'Ready')?.reason;
  });
}

interface Container {
  name: string;
  image?: string;
  restartPolicy?: string;
}

function containerStatus(container: Container, at: string, fault: string | undefined): object {
  return {
    ...base(container),
    ready: fault === undefined,
    started: fault === undefined,
    restartCount: fault === 'crash-loop' ? 5 : 0,
    state: stateOf(at, fault),
  };
}

function stateOf(at: string, fault: string | undefined): object {
  if (fault === 'image-pull-back-off') return { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } };
  if (fault === 'crash-loop') return { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } };
  return { running: { startedAt: at } };
}

/** A native sidecar keeps running; any other init container has completed. */
function initStatus(container: Container, at: string): object {
  const state =
    container.restartPolicy === 'Always'
      ? { running: { startedAt: at } }
      : { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } };
  return { ...base(container), ready: true, started: container.restartPolicy === 'Always', restartCount: 0, state };
}

function base(container: Container): object {
  return { name: container.name, image: container.image ?? '', imageID: `${container.image ?? ''}@sha256:twin`, lastState: {} };
}

/** Unique as long as resource versions are. */
function podIp(pod: KubeObject, node: KubeObject): string {
  if (pod.spec.hostNetwork) return hostIp(node);
  const serial = Number(pod.metadata.resourceVersion ?? 0);
  return `10.${64 + ((serial >> 16) & 63)}.${(serial >> 8) & 255}.${serial & 255}`;
}

function hostIp(node: KubeObject): string {
  const addresses: { type: string; address: string }[] = node.status?.addresses ?? [];
  return addresses.find((address) => address.type === 'InternalIP')?.address ?? '10.0.0.1';
}
