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
  const daemons = world.store.list('daemonsets');
  const onTheWay = [
    ...coming.map((claim) => roomOf(hypothetical(claim.metadata.labels ?? {}, claim.spec?.taints, claim.status), daemons)),
    ...justArrived(world),
  ];
  const bins: Bin[] = [];
  for (const pod of bySize(pending)) {
    const verdicts = [volumePlaces(world.store, pod), neighbourhood(world.store, roomsOf(world.store), pod)];
    const there = onTheWay.find((room) => takes(room, pod, verdicts));
    if (there !== undefined) {
      occupy(there, keyOf(pod), pod);
      continue;
    }
    const bin = bins.toSorted((a, b) => a.pods.length - b.pods.length).find((each) => join(each, pod, verdicts));
    if (bin === undefined) bins.push(...open(world, pod, verdicts, bins, daemons));
  }
  return bins;
}

/** Nodes on which the scheduler has not put anything yet: their taints of the first moments do not count (pkg/scheduling/taints.go: KnownEphemeralTaints). */
function justArrived(world: World): Room[] {
  const sinceMs = world.clock.nowMs() - JUST_ARRIVED_MS;
  const young = roomsOf(world.store).all.filter(({ node }) => Date.parse(node.metadata.creationTimestamp ?? '') >= sinceMs);
  return young.map((room) => {
    const taints = (room.node.spec?.taints ?? []).filter(({ key }: { key: string }) => !key.startsWith('node.kubernetes.io/'));
    const node = { ...room.node, spec: { ...room.node.spec, taints } };
    return { ...room, node, more: { ...room.more }, residents: new Map(room.residents), siblings: new Map(room.siblings) };
  });
}

/** The cheapest that takes all of its pods: the smallest of the pool's own kinds. */
export const machineOfBin = ({ options }: Bin): Machine | undefined => options[0]?.machine;

function bySize(pods: readonly KubeObject[]): KubeObject[] {
  return pods.toSorted((a, b) => {
    const [left, right] = [requestsOf(a), requestsOf(b)];
    return (
      right.cpu - left.cpu ||
      right.memory - left.memory ||
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '')
    );
  });
}

function takes(room: Room, pod: KubeObject, verdicts: readonly (Verdict | undefined)[]): boolean {
  const { node } = room;
  return (
    untolerated(pod.spec, node, ['NoSchedule', 'NoExecute']) === undefined &&
    selectsNode(pod.spec, node) &&
    lacks(pod, room) === undefined &&
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

/** A bin of the first pool that can take the pod; in the zone in which the pool has the fewest nodes where several do. */
function open(
  world: World,
  pod: KubeObject,
  verdicts: readonly (Verdict | undefined)[],
  bins: readonly Bin[],
  daemons: readonly KubeObject[],
): Bin[] {
  for (const pool of pools(world)) {
    const left = leftOf(world, pool);
    for (const bin of bins)
      if (bin.pool === pool) for (const name of Object.keys(left)) left[name] = (left[name] ?? 0) - largest(bin, name);
    const options = machinesFor(world, pool)
      .filter(({ kind }) => isWithin(left, kind))
      .map((machine) => ({ machine, room: roomOf(ofPool(pool, machine), daemons) }))
      .filter(({ room }) => takes(room, pod, verdicts));
    if (options.length === 0) continue;
    const zone = emptiest(world, pool, bins, new Set(options.map(({ machine }) => machine.zone)));
    const bin: Bin = { pool, options: [], pods: [] };
    put(
      bin,
      options.filter(({ machine }) => machine.zone === zone),
      pod,
    );
    return [bin];
  }
  return [];
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

function emptiest({ store }: World, pool: KubeObject, bins: readonly Bin[], zones: ReadonlySet<string>): string | undefined {
  const nodes = store.list('nodes', { labels: { 'karpenter.sh/nodepool': pool.metadata.name } });
  const count = (zone: string): number =>
    nodes.filter(({ metadata }) => metadata.labels?.[ZONE] === zone).length +
    bins.filter((bin) => bin.pool === pool && bin.options[0]?.machine.zone === zone).length;
  return [...zones].toSorted((a, b) => count(a) - count(b) || (a < b ? -1 : 1))[0];
}

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
