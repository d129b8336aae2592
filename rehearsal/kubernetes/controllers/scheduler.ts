/** The scheduler: gives pending pods a node that has room for them, spread over nodes, or says why none fits. */
import { recordEvent } from '../events.ts';
import { conditionOf, controllerOf, kubeTime, setCondition } from '../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { levelTriggered } from './level-triggered.ts';
import { selectsNode, untolerated } from './placement.ts';
import { looksAtOthers, neighbourhood, type Verdict } from './scheduling/neighbours.ts';
import { keyOf, lacks, type Room, type Rooms, roomsOf } from './scheduling/rooms.ts';
import { volumePlaces } from './scheduling/volumes.ts';

/** As the real one, it looks for enough nodes that fit rather than for all of them (minFeasibleNodesToFind). */
const ENOUGH_NODES = 100;

/** What had happened when a pod did not fit: it is not tried again before something else has. */
interface Failed {
  pod: KubeObject;
  freed: number;
  arrivals: number;
}

const failures = new WeakMap<Rooms, Map<string, Failed>>();

export const scheduler = levelTriggered('scheduler', ({ store, clock }) => {
  const rooms = roomsOf(store);
  if (rooms.pending.size === 0) return undefined;
  const failed = failures.get(rooms) ?? new Map<string, Failed>();
  failures.set(rooms, failed);
  for (const pod of inOrder([...rooms.pending.values()])) {
    const key = keyOf(pod);
    if (isHopeless(failed.get(key), pod, rooms)) continue;
    if (place(store, pod, rooms, clock.nowMs())) failed.delete(key);
    else failed.set(key, { pod: store.get('pods', pod.metadata.name, pod.metadata.namespace) ?? pod, ...countsOf(rooms) });
  }
  for (const key of failed.keys()) if (!rooms.pending.has(key)) failed.delete(key);
  return undefined;
});

const countsOf = ({ freed, arrivals }: Rooms): { freed: number; arrivals: number } => ({ freed, arrivals });

function isHopeless(failed: Failed | undefined, pod: KubeObject, rooms: Rooms): boolean {
  if (failed === undefined || failed.pod !== pod || failed.freed !== rooms.freed) return false;
  return failed.arrivals === rooms.arrivals || !looksAtOthers(pod);
}

/** The more important first, then those that have waited longer. */
function inOrder(pods: KubeObject[]): KubeObject[] {
  const priority = (pod: KubeObject): number => pod.spec?.priority ?? 0;
  return pods.some((pod) => priority(pod) !== 0) ? pods.toSorted((a, b) => priority(b) - priority(a)) : pods;
}

/** True where it has a node now. */
function place(store: ObjectStore, pod: KubeObject, rooms: Rooms, nowMs: number): boolean {
  const { best, refusals } = search(store, pod, rooms);
  const at = kubeTime(nowMs);
  if (best) {
    store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => {
      copy.spec.nodeName = best.node.metadata.name;
      setCondition(copy, { type: 'PodScheduled', status: 'True' }, at);
      const scheduled = conditionOf(copy, 'PodScheduled');
      delete scheduled?.reason;
      delete scheduled?.message;
    });
    return true;
  }
  const causes = [...refusals].map(([why, count]) => `${count} ${why}`).sort();
  const message = `0/${rooms.all.length} nodes are available${causes.length > 0 ? `: ${causes.join(', ')}` : ''}.`;
  if (conditionOf(pod, 'PodScheduled')?.message === message) return false;
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => setCondition(copy, condition, at));
  recordEvent(store, { about: pod, type: 'Warning', reason: 'FailedScheduling', message, component: 'default-scheduler', nowMs });
  return false;
}

/** The best of the nodes that fit, or why none does: each reason with the number of nodes. */
function search(store: ObjectStore, pod: KubeObject, rooms: Rooms): { best: Room | undefined; refusals: Map<string, number> } {
  const refusals = new Map<string, number>();
  const { all } = rooms;
  const verdicts = [volumePlaces(store, pod), neighbourhood(store, rooms, pod)];
  let best: { room: Room; score: number } | undefined;
  let seen = 0;
  for (let fitting = 0; seen < all.length && fitting < ENOUGH_NODES; seen += 1) {
    const room = all[(rooms.next + seen) % all.length];
    if (room === undefined) break;
    const why = whyNot(pod, room, verdicts);
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

function whyNot(pod: KubeObject, room: Room, verdicts: readonly (Verdict | undefined)[]): string | undefined {
  const { node } = room;
  const spec = pod.spec;
  if (node.spec?.unschedulable) return 'node(s) were unschedulable';
  if (!room.open) return 'node(s) had untolerated taint {node.kubernetes.io/not-ready: }';
  const taint = untolerated(spec, node, ['NoSchedule', 'NoExecute']);
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (!selectsNode(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const scarce = lacks(pod, room);
  if (scarce !== undefined) return scarce;
  for (const verdict of verdicts) {
    const why = verdict?.(node);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Few siblings first, then much free CPU; nodes that would rather have no pods come last. */
function score(pod: KubeObject, room: Room): number {
  const owner = controllerOf(pod)?.uid;
  const siblings = owner === undefined ? 0 : (room.siblings.get(owner) ?? 0);
  const avoided = untolerated(pod.spec, room.node, ['PreferNoSchedule']) ? 1000 : 0;
  const free = Number.isFinite(room.cpuTotal) && room.cpuTotal > 0 ? room.cpu / room.cpuTotal : 1 / (1 + room.residents.size);
  return free - siblings * 10 - avoided;
}
