/** Nodes of one play: what there is, what each has room for, and what is on it. */
import { at } from '../model/at.ts';
import type { Cluster, NodeOwner, Shape } from '../model/cluster.ts';
import { HOSTNAME, ZONE } from '../model/selectors.ts';
import type { PlayClock } from './clock.ts';
import type { Ledger } from './ledger.ts';
import { CPU, MEMORY } from '../model/resources.ts';
import { FitTree } from './fit-tree.ts';
import { Room } from './room.ts';
import { Tally } from './tally.ts';

export const COMING = 0;
export const READY = 1;
export const GONE = 2;

export interface PlayedNode {
  name: string;
  owner: NodeOwner;
  pool: number;
  group: number;
  zone: number;
  kind: number;
  minor: number;
  shape: Shape;
  isNew: boolean;
  state: typeof COMING | typeof READY | typeof GONE;
  /** As the kubelet of the snapshot says; what comes later is Ready when it has come. */
  ready: boolean;
  /** Nothing is scheduled to it. */
  closed: boolean;
  /** Chosen to be replaced: it counts against the budget of its pool. */
  leaving: boolean;
  /** Empty, and its instance is being ended: it counts for nothing. */
  ending: boolean;
  /** karpenter.sh/do-not-disrupt: by people, by a wave, or as it was skipped. */
  held: boolean;
  heldBy: string | undefined;
  /** Pods that are assigned to it. */
  pods: number[];
  /** Pods that are ending on it. */
  bodies: number;
}

type Launch = Pick<PlayedNode, 'owner' | 'pool' | 'group' | 'zone' | 'minor' | 'shape'>;

export class Nodes {
  readonly list: PlayedNode[] = [];
  readonly tally: Tally;
  /** Changes whenever more may fit, or may be disrupted, than before. */
  epoch = 0;
  /** Changes whenever more may fit on nodes that are open. */
  roomEpoch = 0;
  /** The same, and never taken back: what a search has found while something was tried holds no longer. */
  searchEpoch = 0;
  /** Launched, not Ready; and how many have become so. */
  readonly coming = new Set<number>();
  cameCount = 0;
  readonly #cluster: Cluster;
  readonly #ledger: Ledger;
  readonly #room: Room;
  readonly #initialCount: number;
  /** Of nodes that are open and Ready: with what is spoken for taken, and without. */
  readonly #unplanned = new FitTree();
  readonly #unused = new FitTree();
  readonly #kinds = new Map<Shape, number[]>();

  constructor(cluster: Cluster, clock: PlayClock, ledger: Ledger) {
    this.#cluster = cluster;
    this.#ledger = ledger;
    this.tally = new Tally(cluster, clock, ledger);
    this.#room = new Room(cluster.resources.count, cluster.nodes.length * 2);
    for (const node of cluster.nodes) {
      const { name, owner, pool, group, zone, kind, minor = -1, ready, cordoned, held, heldBy } = node;
      const placed = { name, owner, pool, group, zone, kind, minor, shape: node };
      this.#add({ ...placed, isNew: false, state: READY, ready, held, heldBy, closed: cordoned || !ready });
    }
    this.#initialCount = this.list.length;
  }

  /** Launched, not Ready. */
  launch(of: Launch): number {
    const name = `new-${this.list.length - this.#initialCount + 1}`;
    const kind = this.#kindOf(of.shape, of.zone);
    return this.#add({ ...of, name, kind, isNew: true, state: COMING, ready: true, held: false, heldBy: undefined, closed: false });
  }

  /** Only while nobody has seen it: in a simulation. */
  reshape(index: number, shape: Shape): void {
    const node = at(this.list, index);
    this.#count(node, -1);
    node.shape = shape;
    node.kind = this.#kindOf(shape, node.zone);
    this.#room.set(index, shape.room);
    this.#count(node, 1);
  }

  /** Takes the last one back, which a simulation has made. */
  unlaunch(): void {
    const node = this.list.pop();
    if (node === undefined) return;
    this.#count(node, -1);
    this.#room.clear(this.list.length);
    this.coming.delete(this.list.length);
  }

  /** It is real. */
  launched(index: number): void {
    this.#ledger.types.add(at(this.list, index).shape.type);
    this.tally.mark();
  }

  comes(index: number): void {
    const node = at(this.list, index);
    node.state = READY;
    this.tally.pooled(node, 1);
    this.#index(index);
    this.coming.delete(index);
    this.cameCount += 1;
    this.tally.came();
    this.epoch += 1;
    this.#freed();
    this.tally.mark();
  }

  goes(index: number): void {
    const node = at(this.list, index);
    this.#ledger.types.add(node.shape.type);
    this.#count(node, -1);
    this.tally.pooled(node, -1);
    node.state = GONE;
    this.close(index);
    this.epoch += 1;
    this.tally.mark();
  }

  /** It is being replaced: it counts against its pool's budget until its instance ends, and then for nothing. */
  leave(index: number, to: 'leaving' | 'ending'): void {
    const node = at(this.list, index);
    this.tally.pooled(node, -1);
    if (to === 'leaving' && !node.leaving) this.tally.use(node, -1);
    node[to] = true;
    this.tally.pooled(node, 1);
  }

  /** For as long as its place is looked for elsewhere, a candidate uses nothing of its NodePool's limits (disruption/helpers.go, SimulateScheduling). */
  without<T>(index: number, look: () => T): T {
    const node = at(this.list, index);
    if (node.leaving) return look();
    this.tally.use(node, -1);
    try {
      return look();
    } finally {
      this.tally.use(node, 1);
    }
  }

  /** Nothing is scheduled to it from here on; or again. */
  close(index: number, closed = true): void {
    at(this.list, index).closed = closed;
    this.#index(index);
    if (!closed) this.#freed();
  }

  /** `planned`: what is spoken for is taken. */
  fits(index: number, request: Float64Array, planned: boolean): boolean {
    return this.#room.fits(index, request, planned);
  }

  /** With `others` in the place of what is spoken for. */
  fitsBeside(index: number, request: Float64Array, others: Float64Array): boolean {
    return this.#room.fits(index, request, false, others);
  }

  /** The first Ready node from `from` on that may have room, by cpu and memory; -1: none. */
  first(from: number, request: Float64Array, planned: boolean): number {
    return (planned ? this.#unplanned : this.#unused).first(from, request[CPU] ?? 0, request[MEMORY] ?? 0);
  }

  free(index: number): number {
    return this.#room.free(index);
  }

  use(index: number, request: Float64Array, sign: 1 | -1): void {
    this.#room.use(index, request, sign);
    this.#index(index);
    if (sign > 0) return;
    this.epoch += 1;
    if (!at(this.list, index).closed) this.#freed();
  }

  plan(index: number, request: Float64Array, sign: 1 | -1): void {
    this.#room.plan(index, request, sign);
    this.#index(index);
    if (sign < 0 && !at(this.list, index).closed) this.#freed();
  }

  address(index: number, sign: 1 | -1): void {
    const { zone } = at(this.list, index);
    this.tally.address(zone, sign);
    if (sign > 0) this.tally.peakAddresses(zone);
  }

  #freed(): void {
    this.roomEpoch += 1;
    this.searchEpoch += 1;
  }

  #index(index: number): void {
    const { closed, state } = at(this.list, index);
    for (const [tree, planned] of [
      [this.#unplanned, true],
      [this.#unused, false],
    ] as const) {
      if (closed || state !== READY) tree.close(index);
      else tree.set(index, this.#room.left(index, CPU, planned), this.#room.left(index, MEMORY, planned));
    }
  }

  #kindOf(shape: Shape, zone: number): number {
    let kinds = this.#kinds.get(shape);
    if (kinds === undefined) this.#kinds.set(shape, (kinds = []));
    const name = at(this.#cluster.zones, zone);
    return (kinds[zone] ??= this.#cluster.kinds.kindOf({ ...shape.labels, [ZONE]: name, [HOSTNAME]: 'a new node' }, shape.taints));
  }

  #add(of: Omit<PlayedNode, 'leaving' | 'ending' | 'pods' | 'bodies'>): number {
    const node: PlayedNode = { ...of, leaving: false, ending: false, pods: [], bodies: 0 };
    const index = this.list.push(node) - 1;
    this.#room.set(index, of.shape.room);
    if (of.state === COMING) this.coming.add(index);
    this.tally.pooled(node, 1);
    this.#index(index);
    this.#count(node, 1);
    return index;
  }

  #count(node: PlayedNode, sign: 1 | -1): void {
    const { shape, zone, isNew, state } = node;
    this.tally.count({ shape, zone, isNew, isComing: state === COMING }, sign);
    if (!node.leaving) this.tally.use(node, sign);
  }
}
