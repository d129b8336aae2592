/** Which workloads are served: how long each is without a ready pod, and why. */
import { at } from '../model/at.ts';
import type { Cluster } from '../model/cluster.ts';
import type { PlayClock } from './clock.ts';
import type { Ledger } from './ledger.ts';

export class Services {
  readonly #cluster: Cluster;
  readonly #clock: PlayClock;
  readonly #ledger: Ledger;
  readonly #ready: number[];
  readonly #downSince = new Map<number, number>();
  /** Of those that are down: since when they wait for a node. */
  readonly #waits = new Map<number, number>();
  readonly #oneZone: boolean[];

  constructor(cluster: Cluster, clock: PlayClock, ledger: Ledger) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#ready = cluster.workloads.map(() => 0);
    this.#oneZone = cluster.workloads.map(({ pods }) => {
      const zones = new Set(pods.map((pod) => cluster.nodes[at(cluster.pods, pod).node]?.zone));
      return cluster.zones.length > 1 && zones.size === 1;
    });
  }

  ready(workload: number, isReady: boolean): void {
    const now = at(this.#ready, workload) + (isReady ? 1 : -1);
    this.#ready[workload] = now;
    if (!at(this.#cluster.workloads, workload).serves) return;
    if (now === 0) this.#downSince.set(workload, this.#clock.nowMs);
    else if (isReady && now === 1) this.#up(workload);
  }

  /** A pod of it finds no node. */
  waits(workload: number): void {
    if (!this.#waits.has(workload)) this.#waits.set(workload, this.#clock.nowMs);
  }

  /** What is down at the end has been so until then. */
  end(): void {
    for (const workload of Array.from(this.#downSince.keys())) this.#up(workload);
  }

  #up(workload: number): void {
    const since = this.#downSince.get(workload);
    const waits = this.#waits.get(workload);
    this.#downSince.delete(workload);
    this.#waits.delete(workload);
    if (since === undefined) return;
    const { replicas } = at(this.#cluster.workloads, workload);
    const why = waits !== undefined && this.#clock.nowMs - waits > 0 && replicas > 1 ? 'no-room' : this.#why(workload, replicas);
    this.#ledger.down(workload, this.#clock.nowMs - since, why);
  }

  #why(workload: number, replicas: number): 'one-replica' | 'one-zone' | 'all-at-once' {
    if (replicas <= 1) return 'one-replica';
    return at(this.#oneZone, workload) ? 'one-zone' : 'all-at-once';
  }
}
