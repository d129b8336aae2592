/**
 * Karpenter's scheduling: pods go to the first node with room, else to new nodes, the smallest that fits (sigs.k8s.io/karpenter,
 * pkg/controllers/provisioning/scheduling). What is decided is spoken for until the pods are there.
 */
import { at } from '../model/at.ts';
import type { Cluster, Pool } from '../model/cluster.ts';
import type { NodeLengths } from '../measure/node-lengths.ts';
import type { Random } from '../measure/random.ts';
import type { PlayClock } from './clock.ts';
import { COMING, type Nodes } from './nodes.ts';
import type { Pods } from './pods.ts';
import { Queue } from './queue.ts';
import type { Scheduler } from './scheduler.ts';
import type { Topology } from './topology.ts';

/** Karpenter waits for more pods before it launches nodes for them (BATCH_IDLE_DURATION is 1 s, BATCH_MAX_DURATION 10 s). */
const BATCH_MS = 2_000;

interface Parts {
  cluster: Cluster;
  clock: PlayClock;
  nodes: Nodes;
  pods: Pods;
  scheduler: Scheduler;
  topology: Topology;
  lengths: NodeLengths;
  random: Random;
  minor: number;
}

/** New nodes that it takes; or the first pod that fits nowhere, now or ever. */
export type Simulated = { kind: 'fits'; launch: number[] } | { kind: 'not-yet' } | { kind: 'no-room'; pod: number };

interface Place {
  pod: number;
  node: number;
}

export class Provisioner {
  readonly #of: Parts;
  readonly #queue: Queue;
  /** The heaviest first, then by name. */
  readonly #pools: number[];
  #batched = false;

  constructor(parts: Parts) {
    this.#of = parts;
    this.#queue = new Queue(parts);
    const { pools } = parts.cluster;
    this.#pools = pools
      .map((_, index) => index)
      .toSorted((a, b) => at(pools, b).weight - at(pools, a).weight || (at(pools, a).name < at(pools, b).name ? -1 : 1));
    parts.pods.onPending = () => this.#batch();
  }

  /** Where the pods of a node that goes would be. Those places are spoken for where all fit, and nothing is changed where one does not. */
  simulate(pods: readonly number[], from: number): Simulated {
    const { nodes, topology, pods: all } = this.#of;
    if (this.#waitsAtOnce(pods, from)) return { kind: 'not-yet' };
    const { roomEpoch } = nodes;
    for (const pod of pods) topology.count(at(all.list, pod).class, from, -1);
    const tried = nodes.without(from, () => this.#place(pods, { candidate: from, zone: at(nodes.list, from).zone }));
    for (const { pod, node } of tried.placed) topology.count(at(all.list, pod).class, node, -1);
    for (const pod of pods) topology.count(at(all.list, pod).class, from, 1);
    if (tried.failed === undefined) return { kind: 'fits', launch: tried.launch };
    for (const { pod } of tried.placed) all.unplan(pod);
    // One that moved twice goes back to where it was first.
    for (const { pod, node } of tried.moved.toReversed()) all.planOn(pod, node);
    for (const _ of tried.launch) nodes.unlaunch();
    nodes.roomEpoch = roomEpoch;
    return tried.failed.coming ? { kind: 'not-yet' } : { kind: 'no-room', pod: tried.failed.pod };
  }

  /** Most candidates that wait for a node that is coming do so for their first pod: nothing has to be placed to see that. */
  #waitsAtOnce(pods: readonly number[], candidate: number): boolean {
    const { cluster, nodes, pods: all, scheduler } = this.#of;
    const [one, ...others] = pods;
    if (one === undefined || nodes.coming.size === 0) return false;
    let first = one;
    for (const pod of others) if (this.#queue.order(pod, first) < 0) first = pod;
    const { class: own } = at(all.list, first);
    const { apart, together, spread } = at(cluster.classes, own);
    // Where other pods have a say, its own place counts as well.
    if (apart.length + together.length + spread.length > 0) return false;
    const end = nodes.list.length;
    const node = scheduler.firstFit(own, end, { except: candidate });
    return this.#waits(first, node, end) && this.#queue.takesReady(first, end, candidate) === undefined;
  }

  /** `node`: where it fits first; -1: nowhere. */
  #waits(pod: number, node: number, end: number): boolean {
    return node < 0 ? this.#queue.displaces(pod, end) : at(this.#of.nodes.list, node).state === COMING;
  }

  /** Makes launched nodes come; `onReady` once all are. */
  await(launch: readonly number[], onReady: () => void): void {
    const { clock, nodes, pods, lengths, random } = this.#of;
    let left = launch.length;
    if (left === 0) return onReady();
    for (const index of launch) {
      nodes.launched(index);
      const { pool } = at(nodes.list, index);
      clock.after(lengths.use(at(lengths.pools, pool)).sample(random), () => {
        nodes.comes(index);
        pods.retryOn(index);
        this.retry();
        left -= 1;
        if (left === 0) onReady();
      });
    }
  }

  /** Nodes have come or gone: pods that still find no place may find one now, or get a node. */
  retry(): void {
    if (this.#of.pods.pending.size > 0) this.#batch();
  }

  #batch(): void {
    if (this.#batched || this.#pools.length === 0) return;
    this.#batched = true;
    this.#of.clock.after(BATCH_MS, () => {
      this.#batched = false;
      this.#provision();
    });
  }

  /** For pods that no node takes: those that are expected on one that is coming wait for it. */
  #provision(): void {
    const { pods, nodes, topology } = this.#of;
    const isAwaited = (node: number): boolean => node >= 0 && at(nodes.list, node).state === COMING;
    const waiting = [...pods.pending].filter((pod) => !isAwaited(at(pods.list, pod).plannedOn));
    for (const pod of waiting) pods.unplan(pod);
    const { placed, launch } = this.#place(waiting, { candidate: -1, zone: -1 });
    for (const { pod, node } of placed) topology.count(at(pods.list, pod).class, node, -1);
    this.await(launch, () => undefined);
    for (const node of new Set(placed.map((each) => each.node))) if (!isAwaited(node)) pods.retryOn(node);
  }

  /** `moved`: pods that were expected on Ready nodes before, and where. */
  #place(
    pods: readonly number[],
    how: { candidate: number; zone: number },
  ): { placed: Place[]; moved: Place[]; launch: number[]; failed?: { pod: number; coming: boolean } } {
    const { nodes, pods: all, scheduler, topology } = this.#of;
    const end = nodes.list.length;
    const isReplacement = how.candidate >= 0;
    const placed: Place[] = [];
    const moved: Place[] = [];
    const launch: number[] = [];
    const from = new Map<number, number>();
    // Pods that give way are placed as well, and may wait for what is coming.
    const ofCandidate = new Set(isReplacement ? pods : []);
    const due = this.#queue.largestFirst(pods);
    for (let pod = due.shift(); pod !== undefined; pod = due.shift()) {
      const { class: own } = at(all.list, pod);
      // Room only shrinks on the way: what was too full for one of the class is too full for the next.
      let node = scheduler.firstFit(own, end, { from: from.get(own) ?? 0, except: how.candidate });
      if (ofCandidate.has(pod) && this.#waits(pod, node, end)) {
        const taken = this.#queue.takesReady(pod, end, how.candidate);
        if (taken === undefined) return { placed, moved, launch, failed: { pod, coming: true } };
        const there = taken.node;
        moved.push(...taken.from.map((each) => ({ pod: each, node: there })));
        for (const each of taken.from) all.unplan(each);
        due.splice(0, due.length, ...this.#queue.largestFirst([...due, ...taken.from]));
        from.clear();
        node = there;
      }
      if (node < 0) from.set(own, end);
      else if (at(nodes.list, node).state !== COMING) from.set(own, node);
      if (node < 0) node = launch.find((each) => this.#joins(own, each)) ?? -1;
      if (node < 0) {
        node = this.#launch(own, how.zone);
        if (node >= 0) launch.push(node);
      }
      if (node < 0) {
        if (isReplacement) return { placed, moved, launch, failed: { pod, coming: false } };
        continue;
      }
      all.planOn(pod, node);
      topology.count(own, node, 1);
      placed.push({ pod, node });
    }
    return { placed, moved, launch };
  }

  /** A node that this simulation launches may become larger for one more pod. */
  #joins(own: number, index: number): boolean {
    const { nodes, scheduler, cluster } = this.#of;
    if (scheduler.fits(own, index, true)) return true;
    const { pool, shape } = at(nodes.list, index);
    const { shapes } = at(cluster.pools, pool);
    for (const larger of shapes.slice(shapes.indexOf(shape) + 1)) {
      nodes.reshape(index, larger);
      if (this.#isWithinLimits(at(cluster.pools, pool), pool) && scheduler.fits(own, index, true)) return true;
    }
    nodes.reshape(index, shape);
    return false;
  }

  #launch(own: number, zone: number): number {
    const { nodes, cluster, minor, scheduler } = this.#of;
    for (const pool of this.#pools) {
      const of = at(cluster.pools, pool);
      for (const shape of of.shapes) {
        for (const where of this.#zonesFor(own, of, zone)) {
          const owner = of.auto ? 'auto-mode' : 'karpenter';
          const index = nodes.launch({ owner, pool, group: -1, zone: where, minor, shape });
          if (this.#isWithinLimits(of, pool) && scheduler.fits(own, index, true)) return index;
          nodes.unlaunch();
        }
      }
    }
    return -1;
  }

  /** The zone of the node that goes first; then any, by chance. */
  #zonesFor(own: number, { zones }: Pool, first: number): number[] {
    const bound = at(this.#of.cluster.classes, own).zone;
    if (bound !== -1) return zones.filter((zone) => zone === bound);
    const others = this.#of.random.shuffle(zones.filter((zone) => zone !== first));
    return zones.includes(first) ? [first, ...others] : others;
  }

  #isWithinLimits({ limits }: Pool, pool: number): boolean {
    const use = at(this.#of.nodes.tally.poolUse, pool);
    return limits.every(({ resource, most }) => (use[RESOURCES.indexOf(resource)] ?? 0) <= most);
  }
}

const RESOURCES: readonly string[] = ['cpu', 'memory', 'nodes'];
