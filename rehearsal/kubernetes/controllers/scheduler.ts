/** The scheduler: gives pending pods a node that has room for them, spread over nodes, or says why none fits. */
import { recordEvent } from '../events.ts';
import { conditionOf, controllerOf, isFinished, isTerminating, kubeTime, setCondition } from '../pods/pods.ts';
import { parseQuantity } from '../quantity.ts';
import { matchesSelector } from '../selectors.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { levelTriggered } from './level-triggered.ts';
import { selectsNode, takesPods, untolerated } from './placement.ts';

/** What a node still has, and who is on it. */
interface Room {
  node: KubeObject;
  cpu: number;
  memory: number;
  pods: number;
  cpuTotal: number;
  residents: KubeObject[];
  /** Pods by the uid of their controller. */
  siblings: Map<string, number>;
}

/** The rooms, and where the search for the next pod begins: not always at the same nodes. */
interface Rooms {
  all: Room[];
  next: number;
}

const DEFAULT_PODS_PER_NODE = 110;
/** As the real one, it looks for enough nodes that fit rather than for all of them (minFeasibleNodesToFind). */
const ENOUGH_NODES = 100;

export const scheduler = levelTriggered('scheduler', ({ store, clock }) => {
  const all = store.list('pods');
  const pending = all.filter((pod) => isMine(pod) && !pod.spec?.nodeName && !isTerminating(pod) && !isFinished(pod));
  if (pending.length === 0) return undefined;
  const rooms = measureRooms(store, all);
  for (const pod of pending) place(store, pod, rooms, clock.nowMs());
  return undefined;
});

/** Other schedulers place the pods that name them. */
const isMine = (pod: KubeObject): boolean => (pod.spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler';

function measureRooms(store: ObjectStore, pods: KubeObject[]): Rooms {
  const rooms = new Map<string, Room>();
  for (const node of store.list('nodes')) {
    const { cpu, memory, pods: count } = node.status?.allocatable ?? {};
    const cpuTotal = parseQuantity(cpu) ?? Number.POSITIVE_INFINITY;
    const room = { node, cpu: cpuTotal, cpuTotal, memory: parseQuantity(memory) ?? Number.POSITIVE_INFINITY };
    rooms.set(node.metadata.name, { ...room, pods: parseQuantity(count) ?? DEFAULT_PODS_PER_NODE, residents: [], siblings: new Map() });
  }
  for (const pod of pods) {
    const room = rooms.get(pod.spec?.nodeName ?? '');
    if (room && !isFinished(pod)) occupy(room, pod);
  }
  return { all: [...rooms.values()], next: 0 };
}

function occupy(room: Room, pod: KubeObject): void {
  const { cpu, memory } = requestsOf(pod);
  room.cpu -= cpu;
  room.memory -= memory;
  room.pods -= 1;
  room.residents.push(pod);
  const owner = controllerOf(pod)?.uid;
  if (owner !== undefined) room.siblings.set(owner, (room.siblings.get(owner) ?? 0) + 1);
}

function place(store: ObjectStore, pod: KubeObject, rooms: Rooms, nowMs: number): void {
  const { best, refusals } = search(pod, rooms);
  const at = kubeTime(nowMs);
  if (best) {
    const bound = store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => {
      copy.spec.nodeName = best.node.metadata.name;
      setCondition(copy, { type: 'PodScheduled', status: 'True' }, at);
      const scheduled = conditionOf(copy, 'PodScheduled');
      delete scheduled?.reason;
      delete scheduled?.message;
    });
    return occupy(best, bound);
  }
  const causes = [...refusals].map(([why, count]) => `${count} ${why}`).sort();
  const message = `0/${rooms.all.length} nodes are available${causes.length > 0 ? `: ${causes.join(', ')}` : ''}.`;
  if (conditionOf(pod, 'PodScheduled')?.message === message) return;
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => setCondition(copy, condition, at));
  recordEvent(store, { about: pod, type: 'Warning', reason: 'FailedScheduling', message, component: 'default-scheduler', nowMs });
}

/** The best of the nodes that fit, or why none does: each reason with the number of nodes. */
function search(pod: KubeObject, rooms: Rooms): { best: Room | undefined; refusals: Map<string, number> } {
  const refusals = new Map<string, number>();
  const { all } = rooms;
  let best: { room: Room; score: number } | undefined;
  let seen = 0;
  for (let fitting = 0; seen < all.length && fitting < ENOUGH_NODES; seen += 1) {
    const room = all[(rooms.next + seen) % all.length];
    if (room === undefined) break;
    const why = whyNot(pod, room, all);
    if (why !== undefined) {
      refusals.set(why, (refusals.get(why) ?? 0) + 1);
      continue;
    }
    fitting += 1;
    const points = score(pod, room);
    if (best === undefined || points > best.score) best = { room, score: points };
  }
  if (all.length > ENOUGH_NODES) rooms.next = (rooms.next + seen) % all.length;
  return { best: best?.room, refusals };
}

function whyNot(pod: KubeObject, room: Room, rooms: readonly Room[]): string | undefined {
  const { node } = room;
  const spec = pod.spec;
  if (node.spec?.unschedulable) return 'node(s) were unschedulable';
  if (!takesPods(node)) return 'node(s) had untolerated taint {node.kubernetes.io/not-ready: }';
  const taint = untolerated(spec, node, ['NoSchedule', 'NoExecute']);
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (!selectsNode(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (room.pods < 1) return 'Too many pods';
  const { cpu, memory } = requestsOf(pod);
  if (cpu > room.cpu + 1e-9) return 'Insufficient cpu';
  if (memory > room.memory) return 'Insufficient memory';
  return conflictsWithNeighbours(pod, room, rooms) ? "node(s) didn't match pod anti-affinity rules" : undefined;
}

interface AntiAffinityTerm {
  labelSelector?: Parameters<typeof matchesSelector>[0];
  topologyKey: string;
}

function conflictsWithNeighbours(pod: KubeObject, room: Room, rooms: readonly Room[]): boolean {
  const terms: AntiAffinityTerm[] = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some(({ labelSelector, topologyKey }) => {
    const domain = room.node.metadata.labels?.[topologyKey];
    const neighbours = rooms.filter((other) => domain !== undefined && other.node.metadata.labels?.[topologyKey] === domain);
    return neighbours.some(({ residents }) =>
      residents.some(
        (resident) =>
          resident.metadata.namespace === pod.metadata.namespace &&
          !isTerminating(resident) &&
          matchesSelector(labelSelector, resident.metadata.labels),
      ),
    );
  });
}

/** Few siblings first, then much free CPU; nodes that would rather have no pods come last. */
function score(pod: KubeObject, room: Room): number {
  const owner = controllerOf(pod)?.uid;
  const siblings = owner === undefined ? 0 : (room.siblings.get(owner) ?? 0);
  const avoided = untolerated(pod.spec, room.node, ['PreferNoSchedule']) ? 1000 : 0;
  const free = Number.isFinite(room.cpuTotal) && room.cpuTotal > 0 ? room.cpu / room.cpuTotal : 1 / (1 + room.residents.length);
  return free - siblings * 10 - avoided;
}

const requests = new WeakMap<object, { cpu: number; memory: number }>();

/** Containers and native sidecars; cached by the pod's spec, for stored objects never change. */
function requestsOf(pod: KubeObject): { cpu: number; memory: number } {
  const known = requests.get(pod.spec);
  if (known) return known;
  const sum = { cpu: 0, memory: 0 };
  const sidecars = (pod.spec.initContainers ?? []).filter((container: { restartPolicy?: string }) => container.restartPolicy === 'Always');
  for (const container of [...(pod.spec.containers ?? []), ...sidecars]) {
    sum.cpu += parseQuantity(container.resources?.requests?.cpu) ?? 0;
    sum.memory += parseQuantity(container.resources?.requests?.memory) ?? 0;
  }
  requests.set(pod.spec, sum);
  return sum;
}
