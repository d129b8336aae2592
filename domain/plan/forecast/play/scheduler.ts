/** Where a pod goes: the scheduler's rules for what may be, and the emptiest of the nodes that it looks at. */
import { at } from '../model/at.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Nodes } from './nodes.ts';
import type { Topology } from './topology.ts';

/** kube-scheduler looks on until it has found so many that fit (numFeasibleNodesToFind: never fewer than 100). */
const ENOUGH = 100;

export class Scheduler {
  readonly #cluster: Cluster;
  readonly #nodes: Nodes;
  readonly #topology: Topology;
  #next = 0;
  /** By class: where the search may begin, as long as the room is what it was. */
  readonly #found: ({ epoch: number; index: number } | undefined)[] = [];

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
    const { request } = at(this.#cluster.classes, classIndex);
    let best = -1;
    let bestFree = Number.NEGATIVE_INFINITY;
    let found = 0;
    // From where the last search began, and once around.
    for (const [begin, end] of [
      [this.#next, list.length],
      [0, this.#next],
    ] as const) {
      const next = (after: number): number => this.#nodes.first(after, request, false);
      for (let index = next(begin); index >= 0 && index < end && found < ENOUGH; index = next(index + 1)) {
        if (!this.fits(classIndex, index, false)) continue;
        found += 1;
        const free = this.#nodes.free(index);
        if (free <= bestFree) continue;
        best = index;
        bestFree = free;
      }
    }
    this.#next = list.length === 0 ? 0 : (this.#next + 1) % list.length;
    return best;
  }

  /**
   * The first that is Ready, by index, else the first that is coming, as Karpenter sorts existing nodes (provisioning/scheduling/scheduler.go,
   * sortExistingNodes); -1: none. Those from `end` on are left out, and so are `except`, a candidate, and Ready ones before `from`.
   */
  firstFit(classIndex: number, end: number, { from = 0, except = -1 }: { from?: number; except?: number } = {}): number {
    const { list, coming } = this.#nodes;
    const { request } = at(this.#cluster.classes, classIndex);
    const next = (after: number): number => this.#nodes.first(after, request, true);
    let firstWithRoom = end;
    for (let index = next(this.#from(classIndex, from)); index >= 0 && index < end; index = next(index + 1)) {
      if (!this.fits(classIndex, index, true)) continue;
      firstWithRoom = Math.min(firstWithRoom, index);
      if (index === except) continue;
      this.#found[classIndex] = { epoch: this.#nodes.searchEpoch, index: firstWithRoom };
      return index;
    }
    this.#found[classIndex] = { epoch: this.#nodes.searchEpoch, index: firstWithRoom };
    for (const index of coming) if (index < end && !at(list, index).closed && this.fits(classIndex, index, true)) return index;
    return -1;
  }

  /** As long as no room is freed, what was too full is so still; not where other pods have a say. */
  #from(classIndex: number, from: number): number {
    const known = this.#found[classIndex];
    if (known === undefined || known.epoch !== this.#nodes.searchEpoch) return from;
    const { apart, together, spread, counted } = at(this.#cluster.classes, classIndex);
    return apart.length + together.length + spread.length + counted.length > 0 ? from : Math.max(from, known.index);
  }
}
