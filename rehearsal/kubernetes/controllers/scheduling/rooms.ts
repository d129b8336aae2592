/** What every node still has and who is on it: kept by the store's events, so that nobody has to measure all nodes again. */
import { equalJson } from '../../json.ts';
import { controllerOf, isFinished, isTerminating } from '../../pods/pods.ts';
import { parseQuantity } from '../../quantity.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import { takesPods } from '../placement.ts';
import { requestsOf } from './requests.ts';

export interface Room {
  node: KubeObject;
  /** Takes pods at all. */
  open: boolean;
  cpu: number;
  memory: number;
  pods: number;
  /** Of other resources, by name. */
  more: Record<string, number>;
  cpuTotal: number;
  /** By namespace and name. */
  residents: Map<string, KubeObject>;
  /** Pods by the uid of their controller. */
  siblings: Map<string, number>;
}

const DEFAULT_PODS_PER_NODE = 110;

const books = new WeakMap<ObjectStore, Rooms>();

/** Found once by looking at everything, then by the store's events. */
export function roomsOf(store: ObjectStore): Rooms {
  const known = books.get(store) ?? new Rooms(store);
  books.set(store, known);
  return known;
}

export class Rooms {
  /** Pods without a node, in the order in which they came. */
  readonly pending = new Map<string, KubeObject>();
  /** Pods that keep others from their domain, by namespace and name. */
  readonly guards = new Map<string, KubeObject>();
  /** Where the search for the next pod begins: not always at the same nodes. */
  next = 0;
  /** Grows whenever something that did not fit may fit now, and whenever a pod has come to a node. */
  freed = 0;
  arrivals = 0;
  readonly #rooms = new Map<string, Room>();
  readonly #placed = new Map<string, string>();
  /** Of pods whose node is not there yet. */
  readonly #early = new Map<string, Map<string, KubeObject>>();
  #all: Room[] | undefined;

  constructor(store: ObjectStore) {
    for (const node of store.list('nodes')) this.#node(node);
    for (const pod of store.list('pods')) this.#pod(pod, false);
    store.watch(({ type, plural, object }) => {
      if (plural === 'nodes' && object.apiVersion === 'v1') {
        if (type === 'DELETED') this.#leave(object.metadata.name);
        else this.#node(object);
      } else if (plural === 'pods' && object.apiVersion === 'v1') this.#pod(object, type === 'DELETED');
    });
  }

  get all(): readonly Room[] {
    return (this.#all ??= [...this.#rooms.values()]);
  }

  of(node: string | undefined): Room | undefined {
    return node === undefined ? undefined : this.#rooms.get(node);
  }

  #node(node: KubeObject): void {
    const { name } = node.metadata;
    const before = this.#rooms.get(name);
    if (before === undefined) this.#all = undefined;
    this.freed += 1;
    if (before !== undefined && equalJson(before.node.status?.allocatable, node.status?.allocatable)) {
      before.node = node;
      before.open = takesPods(node);
      return;
    }
    const room = emptyRoom(node);
    this.#rooms.set(name, room);
    if (before !== undefined) this.#all = undefined;
    for (const [key, pod] of before?.residents ?? this.#early.get(name) ?? []) occupy(room, key, pod);
    this.#early.delete(name);
  }

  #leave(name: string): void {
    const room = this.#rooms.get(name);
    if (room === undefined) return;
    if (room.residents.size > 0) this.#early.set(name, room.residents);
    this.#rooms.delete(name);
    this.#all = undefined;
  }

  #pod(pod: KubeObject, gone: boolean): void {
    const key = keyOf(pod);
    const node: string | undefined = gone || isFinished(pod) ? undefined : pod.spec?.nodeName || undefined;
    const before = this.#placed.get(key);
    if (before !== undefined && before === node) return this.#again(key, node, pod);
    if (before !== undefined) this.#vacate(key, before);
    if (node !== undefined) this.#settle(key, node, pod);
    if (!gone && isWaiting(pod)) this.pending.set(key, pod);
    else this.pending.delete(key);
  }

  /** The same pod where it was. */
  #again(key: string, node: string, pod: KubeObject): void {
    (this.#rooms.get(node)?.residents ?? this.#early.get(node))?.set(key, pod);
    if (this.guards.has(key)) this.guards.set(key, pod);
    if (isTerminating(pod)) this.freed += 1;
  }

  #settle(key: string, node: string, pod: KubeObject): void {
    this.#placed.set(key, node);
    this.arrivals += 1;
    if (pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length > 0) this.guards.set(key, pod);
    const room = this.#rooms.get(node);
    if (room !== undefined) return occupy(room, key, pod);
    const early = this.#early.get(node) ?? new Map<string, KubeObject>();
    this.#early.set(node, early.set(key, pod));
  }

  #vacate(key: string, node: string): void {
    this.#placed.delete(key);
    this.guards.delete(key);
    this.freed += 1;
    const room = this.#rooms.get(node);
    const pod = room?.residents.get(key);
    if (room !== undefined && pod !== undefined) vacate(room, key, pod);
    this.#early.get(node)?.delete(key);
  }
}

export const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

/** Other schedulers place the pods that name them. */
const isWaiting = (pod: KubeObject): boolean =>
  !pod.spec?.nodeName &&
  !isTerminating(pod) &&
  !isFinished(pod) &&
  (pod.spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler';

/** What a node offers. Without a figure it has no limit. */
export function emptyRoom(node: KubeObject): Room {
  const { cpu, memory, pods, ...others } = node.status?.allocatable ?? {};
  const cpuTotal = parseQuantity(cpu) ?? Number.POSITIVE_INFINITY;
  return {
    node,
    open: takesPods(node),
    cpu: cpuTotal,
    cpuTotal,
    memory: parseQuantity(memory) ?? Number.POSITIVE_INFINITY,
    pods: parseQuantity(pods) ?? DEFAULT_PODS_PER_NODE,
    more: Object.fromEntries(Object.entries(others).map(([name, amount]) => [name, parseQuantity(amount) ?? 0])),
    residents: new Map(),
    siblings: new Map(),
  };
}

export function occupy(room: Room, key: string, pod: KubeObject): void {
  change(room, pod, 1);
  room.residents.set(key, pod);
}

function vacate(room: Room, key: string, pod: KubeObject): void {
  change(room, pod, -1);
  room.residents.delete(key);
}

function change(room: Room, pod: KubeObject, by: 1 | -1): void {
  const { cpu, memory, more } = requestsOf(pod);
  room.cpu -= by * cpu;
  room.memory -= by * memory;
  room.pods -= by;
  for (const [name, amount] of Object.entries(more)) room.more[name] = (room.more[name] ?? 0) - by * amount;
  const owner = controllerOf(pod)?.uid;
  if (owner !== undefined) room.siblings.set(owner, (room.siblings.get(owner) ?? 0) + by);
}

/** The first thing that a pod asks for and the room has too little of, in the scheduler's words. */
export function lacks(pod: KubeObject, room: Pick<Room, 'cpu' | 'memory' | 'pods' | 'more'>): string | undefined {
  if (room.pods < 1) return 'Too many pods';
  const { cpu, memory, more } = requestsOf(pod);
  if (cpu > room.cpu + 1e-9) return 'Insufficient cpu';
  if (memory > room.memory) return 'Insufficient memory';
  const scarce = Object.entries(more).find(([name, amount]) => amount > (room.more[name] ?? 0));
  return scarce === undefined ? undefined : `Insufficient ${scarce[0]}`;
}
