/** Pods of one play. A pod here is a place in a workload: when it is evicted, its successor is the same pod somewhere else. */
import { at } from '../model/at.ts';
import type { Cluster, PodClass } from '../model/cluster.ts';
import type { NodeLengths } from '../measure/node-lengths.ts';
import type { Random } from '../measure/random.ts';
import type { Budgets } from './budgets.ts';
import type { PlayClock } from './clock.ts';
import { Expected } from './expected.ts';
import type { Ledger } from './ledger.ts';
import type { Nodes } from './nodes.ts';
import { LOST, PENDING, type PlayedPod, RUNNING, STARTING, WAITING } from './pod-state.ts';
import type { Scheduler } from './scheduler.ts';
import type { Services } from './services.ts';
import type { Topology } from './topology.ts';

const SECOND_MS = 1_000;

export interface PodParts {
  cluster: Cluster;
  clock: PlayClock;
  ledger: Ledger;
  nodes: Nodes;
  topology: Topology;
  scheduler: Scheduler;
  budgets: Budgets;
  services: Services;
  lengths: NodeLengths;
  random: Random;
  beganAtMs: number;
}

export class Pods {
  readonly list: PlayedPod[];
  readonly expected = new Expected();
  /** No node takes them now, those from before left out. */
  readonly pending = new Set<number>();
  /** Pending in the snapshot: Karpenter has given up on them, the scheduler has not. */
  readonly #stranded = new Set<number>();
  readonly #of: PodParts;
  /** Of StatefulSets that start one pod after the other: who is next. */
  readonly #queues = new Map<number, number[]>();
  readonly #starting = new Set<number>();
  readonly #onGone = new Map<number, () => void>();
  /** A pod finds no node. */
  onPending: () => void = () => undefined;

  constructor(parts: PodParts) {
    this.#of = parts;
    const { cluster, nodes } = parts;
    this.list = cluster.pods.map((pod) => ({
      class: pod.class,
      workload: pod.workload,
      budgets: pod.budgets,
      node: pod.node,
      state: pod.node < 0 ? PENDING : pod.ready ? RUNNING : STARTING,
      sick: !pod.ready && pod.node >= 0,
      doNotDisrupt: pod.doNotDisrupt,
      turn: 0,
      bornMs: pod.bornMs,
      plannedOn: -1,
    }));
    for (const [index, pod] of this.list.entries()) {
      if (pod.node < 0) this.#stranded.add(index);
      else this.#settle(index, pod.node);
      if (pod.state !== RUNNING) continue;
      parts.budgets.count(pod.budgets, 1);
      parts.services.ready(pod.workload, true);
    }
    nodes.tally.begin();
  }

  classOf(pod: number): PodClass {
    return at(this.#of.cluster.classes, at(this.list, pod).class);
  }

  isReady(pod: number): boolean {
    return at(this.list, pod).state === RUNNING;
  }

  /** The pod leaves its node now; whoever asks has looked at its budgets. */
  evict(index: number): void {
    const { clock, ledger, budgets, services, topology, lengths, random, cluster } = this.#of;
    const pod = at(this.list, index);
    const { node } = pod;
    this.unplan(index);
    if (pod.state === RUNNING) {
      budgets.count(pod.budgets, -1);
      services.ready(pod.workload, false);
    }
    if (pod.state === STARTING) this.#starting.delete(pod.workload);
    topology.count(pod.class, node, -1);
    const there = at(this.#of.nodes.list, node);
    there.pods.splice(there.pods.indexOf(index), 1);
    there.bodies += 1;
    ledger.evict(pod.workload);
    pod.turn += 1;
    const { graceMs } = this.classOf(index);
    const { recreates, sameName } = at(cluster.workloads, pod.workload);
    clock.after(lengths.endMs(graceMs, lengths.use(lengths.grace).sample(random)), () => {
      this.#release(index, node);
      if (sameName) this.#succeed(index);
      this.#onGone.get(node)?.();
    });
    pod.state = !recreates ? LOST : WAITING;
    if (recreates && !sameName) this.#succeed(index);
  }

  /** Tells when a pod has left a node. */
  watch(node: number, act: (() => void) | undefined): void {
    if (act === undefined) this.#onGone.delete(node);
    else this.#onGone.set(node, act);
  }

  /** One more of the workload of this pod. */
  addLike(index: number): number {
    const { budgets } = this.#of;
    const like = at(this.list, index);
    const added = this.list.push({ ...like, node: -1, state: WAITING, sick: false, turn: 0, plannedOn: -1 }) - 1;
    budgets.expect(like.budgets, 1);
    this.#succeed(added);
    return added;
  }

  /** Scaled back: the pod that came on top goes. */
  remove(index: number): void {
    const { budgets, services, topology, nodes } = this.#of;
    const pod = at(this.list, index);
    this.unplan(index);
    this.pending.delete(index);
    budgets.expect(pod.budgets, -1);
    if (pod.state === RUNNING) {
      budgets.count(pod.budgets, -1);
      services.ready(pod.workload, false);
    }
    if (pod.state === RUNNING || pod.state === STARTING) {
      const there = at(nodes.list, pod.node);
      topology.count(pod.class, pod.node, -1);
      there.pods.splice(there.pods.indexOf(index), 1);
      there.bodies += 1;
      this.#release(index, pod.node);
      this.#onGone.get(pod.node)?.();
    }
    if (pod.state === STARTING) this.#starting.delete(pod.workload);
    pod.state = LOST;
    pod.turn += 1;
  }

  /** A node has come, or has room again: pods that wait try it. */
  retryOn(node: number): void {
    const { scheduler, nodes } = this.#of;
    if (at(nodes.list, node).closed) return;
    for (const waiting of [this.pending, this.#stranded])
      for (const index of waiting) {
        if (!scheduler.fits(at(this.list, index).class, node, false)) continue;
        waiting.delete(index);
        this.#settleLater(index, node);
      }
  }

  planOn(index: number, node: number): void {
    this.unplan(index);
    this.#of.nodes.plan(node, this.classOf(index).request, 1);
    at(this.list, index).plannedOn = node;
    this.expected.add(node, index);
  }

  unplan(index: number): void {
    const pod = at(this.list, index);
    if (pod.plannedOn < 0) return;
    this.#of.nodes.plan(pod.plannedOn, this.classOf(index).request, -1);
    this.expected.delete(pod.plannedOn, index);
    pod.plannedOn = -1;
  }

  #release(index: number, node: number): void {
    const { nodes } = this.#of;
    const { request, hostNetwork } = this.classOf(index);
    nodes.use(node, request, -1);
    if (!hostNetwork) nodes.address(node, -1);
    at(nodes.list, node).bodies -= 1;
    this.retryOn(node);
  }

  #succeed(index: number): void {
    const pod = at(this.list, index);
    const { ordered } = at(this.#of.cluster.workloads, pod.workload);
    if (ordered && this.#starting.has(pod.workload)) {
      const queue = this.#queues.get(pod.workload) ?? [];
      this.#queues.set(pod.workload, [...queue, index]);
      return;
    }
    if (ordered) this.#starting.add(pod.workload);
    pod.state = PENDING;
    const { clock, beganAtMs, random } = this.#of;
    pod.bornMs = (Math.floor((beganAtMs + clock.nowMs) / SECOND_MS) + random.next()) * SECOND_MS;
    const node = this.#of.scheduler.place(pod.class);
    if (node >= 0) return this.#settleLater(index, node);
    this.pending.add(index);
    this.#of.services.waits(pod.workload);
    this.onPending();
  }

  #settle(index: number, node: number): void {
    const { nodes, topology } = this.#of;
    const pod = at(this.list, index);
    const { request, hostNetwork } = this.classOf(index);
    pod.node = node;
    nodes.use(node, request, 1);
    if (!hostNetwork) nodes.address(node, 1);
    topology.count(pod.class, node, 1);
    at(nodes.list, node).pods.push(index);
  }

  #settleLater(index: number, node: number): void {
    const { clock, ledger, lengths, random } = this.#of;
    const pod = at(this.list, index);
    this.unplan(index);
    const { volumes } = this.classOf(index);
    const moved = volumes > 0 && pod.node !== node && pod.node >= 0;
    if (moved) ledger.volumesMoved += volumes;
    this.#settle(index, node);
    pod.state = STARTING;
    const { turn } = pod;
    const startMs = lengths.use(at(lengths.workloads, pod.workload)).sample(random);
    clock.after(startMs + (moved ? lengths.use(lengths.detach).sample(random) : 0), () => this.#started(index, turn));
  }

  #started(index: number, turn: number): void {
    const { budgets, services, nodes } = this.#of;
    const pod = at(this.list, index);
    if (pod.turn !== turn) return;
    this.#starting.delete(pod.workload);
    if (!pod.sick) {
      pod.state = RUNNING;
      nodes.epoch += 1;
      budgets.count(pod.budgets, 1);
      services.ready(pod.workload, true);
    }
    const next = this.#queues.get(pod.workload)?.shift();
    if (next !== undefined) this.#succeed(next);
  }
}
