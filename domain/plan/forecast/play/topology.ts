/** Pods that count where others may run, and the answer for one of them. */
import { at } from '../model/at.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Nodes } from './nodes.ts';

export class Topology {
  readonly #cluster: Cluster;
  readonly #nodes: Nodes;
  /** By term and domain: pods that are selected, and pods that keep the selected away. */
  readonly #selected: Map<number, number>[];
  readonly #apart: Map<number, number>[];

  constructor(cluster: Cluster, nodes: Nodes) {
    this.#cluster = cluster;
    this.#nodes = nodes;
    this.#selected = cluster.terms.map(() => new Map());
    this.#apart = cluster.terms.map(() => new Map());
  }

  count(classIndex: number, node: number, sign: 1 | -1): void {
    const { counted, apart } = at(this.#cluster.classes, classIndex);
    for (const term of counted) this.#add(this.#selected, term, node, sign);
    for (const term of apart) this.#add(this.#apart, term, node, sign);
  }

  allows(classIndex: number, node: number): boolean {
    const { apart, together, spread, counted } = at(this.#cluster.classes, classIndex);
    for (const term of apart) if (this.#of(this.#selected, term, node) > 0) return false;
    for (const term of counted) if (at(this.#apart, term).size > 0 && this.#of(this.#apart, term, node) > 0) return false;
    for (const term of together) {
      const some = at(this.#selected, term);
      // The first of a group that wants to be together may be anywhere.
      if (some.size === 0 ? !counted.includes(term) : this.#of(this.#selected, term, node) === 0) return false;
    }
    for (const { term, maxSkew } of spread) {
      const self = counted.includes(term) ? 1 : 0;
      if (this.#of(this.#selected, term, node) + self - this.#least(term) > maxSkew) return false;
    }
    return true;
  }

  #least(term: number): number {
    const some = at(this.#selected, term);
    if (at(this.#cluster.terms, term).by === 'host') return this.#nodes.tally.alive > some.size ? 0 : Math.min(...some.values());
    let least = Number.POSITIVE_INFINITY;
    for (const [zone, count] of this.#nodes.tally.byZone.entries()) if (count > 0) least = Math.min(least, some.get(zone) ?? 0);
    return Number.isFinite(least) ? least : 0;
  }

  #domain(term: number, node: number): number {
    return at(this.#cluster.terms, term).by === 'host' ? node : at(this.#nodes.list, node).zone;
  }

  #of(counts: readonly Map<number, number>[], term: number, node: number): number {
    return at(counts, term).get(this.#domain(term, node)) ?? 0;
  }

  #add(counts: readonly Map<number, number>[], term: number, node: number, sign: 1 | -1): void {
    const domain = this.#domain(term, node);
    const own = at(counts, term);
    const now = (own.get(domain) ?? 0) + sign;
    if (now === 0) own.delete(domain);
    else own.set(domain, now);
  }
}
