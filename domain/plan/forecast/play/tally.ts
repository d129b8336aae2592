/** How much there is at a moment: nodes, vCPUs, addresses; and the most that it was beyond the beginning. */
import type { Cluster, Shape } from '../model/cluster.ts';
import { MEMORY } from '../model/resources.ts';
import type { PlayClock } from './clock.ts';
import type { Ledger } from './ledger.ts';

/** What counts of a node: whether it is from the beginning, and whether it is Ready. */
interface Counted {
  shape: Shape;
  pool: number;
  zone: number;
  isNew: boolean;
  isComing: boolean;
}

interface Pooled {
  pool: number;
  state: number;
  ending: boolean;
  leaving: boolean;
  ready: boolean;
}

const READY = 1;
const HOUR_MS = 3_600_000;

export class Tally {
  readonly #clock: PlayClock;
  readonly #ledger: Ledger;
  /** cpu in millicores, memory and nodes, by NodePool: what its limits are held against. */
  readonly poolUse: Float64Array[];
  /** By NodePool, as Karpenter counts for its budgets: nodes that have come, and those of them that are away. */
  readonly pools: { count: number; away: number }[];
  /** Addresses in use by zone; a zone without any has no node. */
  readonly byZone: number[];
  alive = 0;
  #old = 0;
  #coming = 0;
  #vcpus = 0;
  #addresses = 0;
  #surgeSinceMs = 0;
  readonly #prices: Readonly<Record<string, number>>;
  /** Of an hour of all nodes whose price is known: now, and at the last mark. */
  #price = 0;
  #markedPrice = 0;
  #initial = { alive: 0, price: 0, vcpus: 0, addresses: 0, byZone: [] as number[] };

  constructor({ pools, zones, prices = {} }: Cluster, clock: PlayClock, ledger: Ledger) {
    this.#prices = prices;
    this.#clock = clock;
    this.#ledger = ledger;
    this.poolUse = pools.map(() => new Float64Array(3));
    this.pools = pools.map(() => ({ count: 0, away: 0 }));
    this.byZone = zones.map(() => 0);
  }

  /** What comes on top is counted from here. */
  begin(): void {
    this.#initial = { alive: this.alive, price: this.#price, vcpus: this.#vcpus, addresses: this.#addresses, byZone: [...this.byZone] };
    this.#ledger.peakAddresses = 0;
    this.#ledger.peakByZone.length = 0;
    this.mark();
  }

  count({ shape, zone, isNew, isComing }: Omit<Counted, 'pool'>, sign: 1 | -1): void {
    this.alive += sign;
    this.#vcpus += sign * shape.vcpus;
    this.#price += sign * (Object.hasOwn(this.#prices, shape.type) ? (this.#prices[shape.type] ?? 0) : 0);
    if (isComing) this.#coming += sign;
    else if (!isNew) this.#old += sign;
    this.address(zone, sign * (1 + shape.addresses));
  }

  /** Of nodes that nobody replaces: what a NodePool's limits are held against (state/cluster.go, updateNodePoolResources). */
  use({ shape, pool }: Pick<Counted, 'shape' | 'pool'>, sign: 1 | -1): void {
    const use = this.poolUse[pool];
    if (use === undefined) return;
    for (const [each, value] of [shape.vcpus * 1_000, shape.room[MEMORY] ?? 0, 1].entries()) use[each] = (use[each] ?? 0) + sign * value;
  }

  /** Nodes that are not Ready, or being replaced, are away; one whose instance ends counts for nothing (BuildDisruptionBudgetMapping). */
  pooled({ pool, state, ending, leaving, ready }: Pooled, sign: 1 | -1): void {
    const of = this.pools[pool];
    if (of === undefined || state !== READY || ending) return;
    of.count += sign;
    if (leaving || !ready) of.away += sign;
  }

  /** A node that was coming is Ready. */
  came(): void {
    this.#coming -= 1;
  }

  address(zone: number, count: number): void {
    this.#addresses += count;
    this.byZone[zone] = (this.byZone[zone] ?? 0) + count;
  }

  peakAddresses(zone: number): void {
    const { addresses, byZone } = this.#initial;
    const ledger = this.#ledger;
    ledger.peakAddresses = Math.max(ledger.peakAddresses, this.#addresses - addresses);
    ledger.peakByZone[zone] = Math.max(ledger.peakByZone[zone] ?? 0, (this.byZone[zone] ?? 0) - (byZone[zone] ?? 0));
  }

  /** Nodes have changed: for good, not in a simulation. */
  mark(): void {
    const { nowMs } = this.#clock;
    const ledger = this.#ledger;
    const last = ledger.timeline.at(-1);
    const extraBefore = last === undefined ? 0 : Math.max(0, last.old + last.new + last.coming - this.#initial.alive);
    ledger.surgeNodeMs += extraBefore * (nowMs - this.#surgeSinceMs);
    // Beyond what ran before: nodes that a cheaper one replaces cost nothing more.
    const beyond = last === undefined ? 0 : Math.max(0, this.#markedPrice - this.#initial.price);
    ledger.surgeCost += (beyond * (nowMs - this.#surgeSinceMs)) / HOUR_MS;
    this.#markedPrice = this.#price;
    this.#surgeSinceMs = nowMs;
    ledger.peakNodes = Math.max(ledger.peakNodes, this.alive - this.#initial.alive);
    ledger.peakVcpus = Math.max(ledger.peakVcpus, this.#vcpus - this.#initial.vcpus);
    for (const zone of this.byZone.keys()) this.peakAddresses(zone);
    const entry = { atMs: nowMs, old: this.#old, new: this.alive - this.#old - this.#coming, coming: this.#coming };
    if (last?.atMs === nowMs) ledger.timeline[ledger.timeline.length - 1] = entry;
    else ledger.timeline.push(entry);
  }
}
