/**
 * Which nodes pending pods need: bins are filled as Karpenter's provisioner fills them, the largest pods first, on nodes that are coming before new ones
 * (sigs.k8s.io/karpenter pkg/controllers/provisioning/scheduling: queue.go, scheduler.go). Of a loaded cluster only: its kinds of instances are known.
 */
import { neighbourhood, type Verdict } from '../../../kubernetes/controllers/scheduling/neighbours.ts';
import { requestsOf, together } from '../../../kubernetes/controllers/scheduling/requests.ts';
import { emptyRoom, keyOf, lacks, occupy, type Room, roomsOf } from '../../../kubernetes/controllers/scheduling/rooms.ts';
import { volumePlaces } from '../../../kubernetes/controllers/scheduling/volumes.ts';
import { selectsNode, untolerated } from '../../../kubernetes/controllers/placement.ts';
import { matchesSelector } from '../../../kubernetes/selectors.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { isTrue } from '../../conditions.ts';
import { labelsOf, type Machine, machinesFor, poolLabels, ZONE } from '../../machines.ts';
import { isWithin, leftOf } from './limits.ts';

/** A node that is to be launched. */
export interface Bin {
  pool: KubeObject;
  /** It can still be any of these. */
  options: { machine: Machine; room: Room }[];
  pods: KubeObject[];
}

const JUST_ARRIVED_MS = 60_000;
const HOSTNAME = 'kubernetes.io/hostname';

/** `coming`: claims whose nodes are not there yet. Pods that nothing takes are left out. */
export function pack(world: World, pending: readonly KubeObject[], coming: readonly KubeObject[]): Bin[] {
  return place(world, pending, [...coming.map((claim) => roomOfClaim(world, claim)), ...justArrived(world)]).bins;
}

/** Where pods would go: to rooms that are there, as they are given, and beyond that to new nodes. */
export interface Placed {
  bins: Bin[];
  at: Map<KubeObject, Room>;
  /** Those that nothing takes. */
  left: KubeObject[];
}

/** The rooms are not changed. `going`: claims that do not count against limits any more; `before`: pods that take their places before the others do. */
export function place(
  world: World,
  pods: readonly KubeObject[],
  rooms: readonly Room[],
  { going, before = [] }: { going?: ReadonlySet<string>; before?: readonly KubeObject[] } = {},
): Placed {
  const launcher = new Launcher(world, going);
  const filled = new Map<Room, Room>();
  const placed: Placed = { bins: [], at: new Map(), left: [] };
  const least = Math.min(...[...before, ...pods].map((pod) => requestsOf(pod).cpu));
  const free = rooms.filter(({ cpu, pods: places }) => places >= 1 && cpu + 1e-9 >= least);
  for (const pod of [...bySize(before), ...bySize(pods)]) {
    const verdicts = [volumePlaces(world.store, pod), neighbourhood(world.store, roomsOf(world.store), pod)];
    const there = free.find((room) => takes(filled.get(room) ?? room, pod, verdicts));
    if (there !== undefined) {
      const copy = filled.get(there) ?? copyOf(there);
      occupy(copy, keyOf(pod), pod);
      filled.set(there, copy);
      placed.at.set(pod, there);
      continue;
    }
    if (placed.bins.toSorted((a, b) => a.pods.length - b.pods.length).some((each) => join(each, pod, verdicts))) continue;
    const bin = launcher.open(pod, verdicts, placed.bins);
    if (bin === undefined) placed.left.push(pod);
    else placed.bins.push(bin);
  }
  return placed;
}

/** Of a node that is not there yet. */
export const roomOfClaim = ({ store }: World, { metadata, spec, status }: KubeObject): Room =>
  roomOf(hypothetical(metadata.labels ?? {}, spec?.taints, status), store.list('daemonsets'));

/** Nodes on which the scheduler has not put anything yet. */
function justArrived(world: World): Room[] {
  const sinceMs = world.clock.nowMs() - JUST_ARRIVED_MS;
  const young = roomsOf(world.store).all.filter(({ node }) => Date.parse(node.metadata.creationTimestamp ?? '') >= sinceMs);
  return young.map(settled);
}

/** As it will be: taints of the first moments do not count (pkg/scheduling/taints.go: KnownEphemeralTaints). */
export function settled(room: Room): Room {
  const taints = (room.node.spec?.taints ?? []).filter(({ key }: { key: string }) => !key.startsWith('node.kubernetes.io/'));
  return { ...room, node: { ...room.node, spec: { ...room.node.spec, taints } } };
}

const copyOf = (room: Room): Room => ({
  ...room,
  more: { ...room.more },
  residents: new Map(room.residents),
  siblings: new Map(room.siblings),
});

/** The cheapest that takes all of its pods: the smallest of the pool's own kinds. */
export const machineOfBin = ({ options }: Bin): Machine | undefined => options[0]?.machine;

/** The largest first, then the oldest, then by UID (queue.go: byCPUAndMemoryDescending). */
function bySize(pods: readonly KubeObject[]): KubeObject[] {
  return pods.toSorted((a, b) => {
    const [left, right] = [requestsOf(a), requestsOf(b)];
    return (
      right.cpu - left.cpu ||
      right.memory - left.memory ||
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
      (a.metadata.uid ?? '').localeCompare(b.metadata.uid ?? '')
    );
  });
}

function takes(room: Room, pod: KubeObject, verdicts: readonly (Verdict | undefined)[]): boolean {
  const { node } = room;
  return (
    lacks(pod, room) === undefined &&
    untolerated(pod.spec, node, ['NoSchedule', 'NoExecute']) === undefined &&
    selectsNode(pod.spec, node) &&
    !keepsApart(pod, [...room.residents.values()]) &&
    verdicts.every((verdict) => verdict?.(node) === undefined)
  );
}

/** Two pods of one bin that must not share a node. */
function keepsApart(pod: KubeObject, others: readonly KubeObject[]): boolean {
  const terms = (one: KubeObject) => one.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const against = (one: KubeObject, other: KubeObject): boolean =>
    one.metadata.namespace === other.metadata.namespace &&
    terms(one).some(
      (term: { topologyKey: string; labelSelector?: Parameters<typeof matchesSelector>[0] }) =>
        term.topologyKey === HOSTNAME && matchesSelector(term.labelSelector, other.metadata.labels),
    );
  return others.some((other) => against(pod, other) || against(other, pod));
}

/** Narrows the bin to what takes this pod as well. */
function join(bin: Bin, pod: KubeObject, verdicts: readonly (Verdict | undefined)[]): boolean {
  const left = bin.options.filter(({ room }) => takes(room, pod, verdicts));
  if (left.length === 0) return false;
  put(bin, left, pod);
  return true;
}

function put(bin: Bin, options: Bin['options'], pod: KubeObject): void {
  bin.options = options;
  for (const { room } of options) occupy(room, keyOf(pod), pod);
  bin.pods.push(pod);
}

/** What NodePools could launch now: looked up once for all pods of a try. */
class Launcher {
  readonly #world: World;
  readonly #going: ReadonlySet<string> | undefined;
  readonly #daemons: readonly KubeObject[];
  readonly #pools: readonly KubeObject[];
  readonly #kinds = new Map<KubeObject, Bin['options']>();
  readonly #left = new Map<KubeObject, Record<string, number>>();
  readonly #zones = new Map<KubeObject, Map<string, number>>();

  /** `going`: claims that do not count against limits. */
  constructor(world: World, going: ReadonlySet<string> | undefined) {
    this.#world = world;
    this.#going = going;
    this.#daemons = world.store.list('daemonsets');
    this.#pools = pools(world);
  }

  /** A bin of the first pool that can take the pod; in the zone in which the pool has the fewest nodes where several do. */
  open(pod: KubeObject, verdicts: readonly (Verdict | undefined)[], bins: readonly Bin[]): Bin | undefined {
    for (const pool of this.#pools) {
      const own = bins.filter((bin) => bin.pool === pool);
      const left = { ...kept(this.#left, pool, () => leftOf(this.#world, pool, this.#going)) };
      for (const bin of own) for (const name of Object.keys(left)) left[name] = (left[name] ?? 0) - largest(bin, name);
      const options = this.#kindsOf(pool).filter(({ machine, room }) => isWithin(left, machine.kind) && takes(room, pod, verdicts));
      if (options.length === 0) continue;
      const zone = this.#emptiest(pool, own, new Set(options.map(({ machine }) => machine.zone)));
      const bin: Bin = { pool, options: [], pods: [] };
      const inZone = options.filter(({ machine }) => machine.zone === zone).map(({ machine, room }) => ({ machine, room: copyOf(room) }));
      put(bin, inZone, pod);
      return bin;
    }
    return undefined;
  }

  #kindsOf(pool: KubeObject): Bin['options'] {
    return kept(this.#kinds, pool, () =>
      machinesFor(this.#world, pool).map((machine) => ({ machine, room: roomOf(ofPool(pool, machine), this.#daemons) })),
    );
  }

  #emptiest(pool: KubeObject, own: readonly Bin[], zones: ReadonlySet<string>): string | undefined {
    const nodes = kept(this.#zones, pool, () => {
      const counts = new Map<string, number>();
      for (const { metadata } of this.#world.store.list('nodes', { labels: { 'karpenter.sh/nodepool': pool.metadata.name } })) {
        const zone = metadata.labels?.[ZONE] ?? '';
        counts.set(zone, (counts.get(zone) ?? 0) + 1);
      }
      return counts;
    });
    const countIn = (zone: string): number => (nodes.get(zone) ?? 0) + own.filter((bin) => bin.options[0]?.machine.zone === zone).length;
    return [...zones].toSorted((a, b) => countIn(a) - countIn(b) || (a < b ? -1 : 1))[0];
  }
}

/** What the map has, or what is made for it. */
function kept<T>(map: Map<KubeObject, T>, key: KubeObject, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The heaviest first, then by name. */
function pools({ store }: World): KubeObject[] {
  return store
    .list('nodepools')
    .filter((pool) => isTrue(pool, 'Ready'))
    .toSorted((a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || a.metadata.name.localeCompare(b.metadata.name));
}

/** What a bin may come to use of a resource. */
const largest = ({ options }: Bin, name: string): number =>
  name === 'nodes' ? 1 : Math.max(...options.map(({ room }) => (name === 'cpu' ? room.cpuTotal : 0)));

const ofPool = (pool: KubeObject, machine: Machine): KubeObject =>
  hypothetical({ ...poolLabels(pool), ...labelsOf(machine) }, pool.spec.template.spec.taints, machine.kind);

function hypothetical(labels: Record<string, string>, taints: KubeObject[string], size: KubeObject[string]): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: '', labels: { 'kubernetes.io/os': 'linux', ...labels, [HOSTNAME]: 'to be launched' } },
    spec: { taints },
    status: { allocatable: size?.allocatable, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** With the DaemonSets' pods, which come with the node. */
function roomOf(node: KubeObject, daemons: readonly KubeObject[]): Room {
  const room = emptyRoom(node);
  const own = daemons
    .map(({ spec }) => spec.template)
    .filter(({ spec }) => selectsNode(spec, node) && untolerated(spec, node, ['NoSchedule', 'NoExecute']) === undefined);
  const needs = own.map((pod) => requestsOf(pod)).reduce(together, { cpu: 0, memory: 0, more: {} });
  room.cpu -= needs.cpu;
  room.memory -= needs.memory;
  room.pods -= own.length;
  return room;
}
