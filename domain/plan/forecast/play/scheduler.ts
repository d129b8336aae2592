/** Where a pod goes: the scheduler's rules for what may be, and the emptiest of the nodes that it looks at. */
import { at } from '../model/at.ts';
import type { Cluster } from '../model/cluster.ts';
import { COMING, type Nodes, READY } from './nodes.ts';
import type { Topology } from './topology.ts';

/** kube-scheduler looks on until it has found so many that fit (numFeasibleNodesToFind: never fewer than 100). */
const ENOUGH = 100;

export class Scheduler {
  readonly #cluster: Cluster;
  readonly #nodes: Nodes;
  readonly #topology: Topology;
  #next = 0;

  constructor(cluster: Cluster, nodes: Nodes, topology: Topology) {
    this.#cluster = cluster;
    this.#nodes = nodes;
    this.#topology = topology;
  }

  /** `planned`: what is spoken for is taken. Room first: it is what fails most often. */
  fits(classIndex: number, node: number, planned: boolean): boolean {
    const { spec, request, zone } = at(this.#cluster.classes, classIndex);
    const { kind, zone: there } = at(this.#nodes.list, node);
    if (zone !== -1 && zone !== there) return false;
    return (
      this.#nodes.fits(node, request, planned) &&
      this.#cluster.kinds.allows(kind, classIndex, spec) &&
      this.#topology.allows(classIndex, node)
    );
  }

  /** -1: none. */
  place(classIndex: number): number {
    const { list } = this.#nodes;
    let best = -1;
    let bestFree = Number.NEGATIVE_INFINITY;
    let found = 0;
    for (let step = 0; step < list.length && found < ENOUGH; step += 1) {
      const index = (this.#next + step) % list.length;
      const node = at(list, index);
      if (node.closed || node.state !== READY || !this.fits(classIndex, index, false)) continue;
      found += 1;
      const free = this.#nodes.free(index);
      if (free <= bestFree) continue;
      best = index;
      bestFree = free;
    }
    this.#next = list.length === 0 ? 0 : (this.#next + 1) % list.length;
    return best;
  }

  /**
   * The first that is Ready, by index, else the first that is coming, as Karpenter sorts existing nodes (scheduler.go, calculateExistingNodeClaims);
   * -1: none. Those from `end` on are left out, and so are those before `from`.
   */
  firstFit(classIndex: number, end: number, from = 0): number {
    const { list } = this.#nodes;
    let coming = -1;
    for (let index = from; index < end; index += 1) {
      const node = at(list, index);
      if (node.closed || (node.state === COMING && coming >= 0) || node.state > READY) continue;
      if (!this.fits(classIndex, index, true)) continue;
      if (node.state === READY) return index;
      coming = index;
    }
    return coming;
  }
}
