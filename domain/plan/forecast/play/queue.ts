/**
 * Karpenter's order of pods, and who gives way to whom by it: each simulation places all pods anew, those of nodes that are going as well
 * (sigs.k8s.io/karpenter, pkg/controllers: provisioning/scheduling/queue.go; disruption/helpers.go, SimulateScheduling).
 */
import { at } from '../model/at.ts';
import { CPU, MEMORY } from '../model/resources.ts';
import { type Nodes, READY } from './nodes.ts';
import type { Pods } from './pods.ts';
import type { Scheduler } from './scheduler.ts';

interface Parts {
  nodes: Nodes;
  pods: Pods;
  scheduler: Scheduler;
}

export class Queue {
  readonly #of: Parts;

  constructor(parts: Parts) {
    this.#of = parts;
  }

  /**
   * Every simulation places the pods of nodes that are going anew, together with those of its candidate: one that sorts before them takes their place on a
   * node that is coming, on which no command may rely (UninitializedNodeError). So few nodes go at a time, whatever the budget.
   */
  displaces(pod: number, end: number): boolean {
    const { nodes, pods, scheduler } = this.#of;
    const { class: own } = at(pods.list, pod);
    const { request } = pods.classOf(pod);
    for (const index of nodes.coming) {
      if (index >= end || at(nodes.list, index).closed || !scheduler.fits(own, index, false)) continue;
      if (nodes.fitsBeside(index, request, this.#expected(index, pod).before)) return true;
    }
    return false;
  }

  largestFirst(pods: readonly number[]): number[] {
    return pods.toSorted((a, b) => this.order(a, b));
  }

  /** The largest first, then the oldest (byCPUAndMemoryDescending). */
  order(a: number, b: number): number {
    const { pods } = this.#of;
    const [one, other] = [pods.classOf(a).request, pods.classOf(b).request];
    const bySize = (other[CPU] ?? 0) - (one[CPU] ?? 0) || (other[MEMORY] ?? 0) - (one[MEMORY] ?? 0);
    return bySize || at(pods.list, a).bornMs - at(pods.list, b).bornMs || a - b;
  }

  /** A Ready node that takes the pod where those that sort after it and are expected there give way: `from`. They are placed anew, as in every simulation. */
  takesReady(pod: number, end: number, except: number): { node: number; from: number[] } | undefined {
    const { nodes, pods, scheduler } = this.#of;
    const { class: own } = at(pods.list, pod);
    const { request } = pods.classOf(pod);
    for (const index of pods.expected.nodes) {
      const { state, closed } = at(nodes.list, index);
      if (index === except || index >= end || state !== READY || closed || !nodes.fits(index, request, false)) continue;
      const { before, after } = this.#expected(index, pod);
      if (after.length > 0 && nodes.fitsBeside(index, request, before) && scheduler.fits(own, index, false))
        return { node: index, from: after };
    }
    return undefined;
  }

  /** What is spoken for on a node by pods that sort before this one, and the pods that sort after it. */
  #expected(index: number, pod: number): { before: Float64Array; after: number[] } {
    const { pods } = this.#of;
    const before = new Float64Array(pods.classOf(pod).request.length);
    const after: number[] = [];
    for (const other of pods.expected.on(index)) {
      if (this.order(other, pod) > 0) after.push(other);
      else for (const [each, amount] of pods.classOf(other).request.entries()) before[each] = (before[each] ?? 0) + amount;
    }
    return { before, after };
  }
}
