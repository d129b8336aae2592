/** Nodes of one play: what there is, what each has room for, and what is on it. */
import { at } from '../model/at.ts';
import type { Cluster, NodeOwner, Shape } from '../model/cluster.ts';
import { HOSTNAME, ZONE } from '../model/selectors.ts';
import type { PlayClock } from './clock.ts';
import type { Ledger } from './ledger.ts';
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
  readonly #cluster: Cluster;
  readonly #ledger: Ledger;
  readonly #room: Room;
  readonly #initialCount: number;
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
  }

  /** It is real. */
  launched(index: number): void {
    this.#ledger.launched.add(at(this.list, index).shape.type);
    this.tally.mark();
  }

  comes(index: number): void {
    at(this.list, index).state = READY;
    this.tally.came();
    this.epoch += 1;
    this.tally.mark();
  }

  goes(index: number): void {
    const node = at(this.list, index);
    this.#count(node, -1);
    node.state = GONE;
    node.closed = true;
    this.epoch += 1;
    this.tally.mark();
  }

  /** `planned`: what is spoken for is taken. */
  fits(index: number, request: Float64Array, planned: boolean): boolean {
    return this.#room.fits(index, request, planned);
  }

  free(index: number): number {
    return this.#room.free(index);
  }

  use(index: number, request: Float64Array, sign: 1 | -1): void {
    this.#room.use(index, request, sign);
    if (sign < 0) this.epoch += 1;
  }

  plan(index: number, request: Float64Array, sign: 1 | -1): void {
    this.#room.plan(index, request, sign);
  }

  address(index: number, sign: 1 | -1): void {
    const { zone } = at(this.list, index);
    this.tally.address(zone, sign);
    if (sign > 0) this.tally.peakAddresses(zone);
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
    this.#count(node, 1);
    return index;
  }

  #count(node: PlayedNode, sign: 1 | -1): void {
    const { shape, pool, zone, isNew, state } = node;
    this.tally.count({ shape, pool, zone, isNew, isComing: state === COMING }, sign);
  }
}
