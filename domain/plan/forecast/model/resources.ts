/** What pods ask for and nodes have, as numbers: one vector for each, in the order of `Resources.names`. */
import { parseQuantity } from '../../../facts/quantity.ts';
import type { PodSpec } from './objects.ts';

/** cpu in millicores, memory in bytes, volumes that a node attaches; the rest as written. */
const FIRST = ['cpu', 'memory', 'pods', 'volumes'] as const;
export const CPU = 0;
export const MEMORY = 1;
export const PODS = 2;
export const VOLUMES = 3;

/** 0 where it is no quantity. */
export const quantity = (text: string | number | undefined): number => parseQuantity(text) ?? 0;

type Quantities = Record<string, string | number>;

/** Names of what any pod asks for; what nobody asks for runs out nowhere. */
export class Resources {
  readonly names: readonly string[];
  readonly #index: Map<string, number>;

  constructor(specs: Iterable<PodSpec>) {
    const names = new Set<string>(FIRST);
    for (const { containers = [], initContainers = [] } of specs)
      for (const { resources } of [...containers, ...initContainers]) for (const name in resources?.requests) names.add(name);
    this.names = [...names];
    this.#index = new Map(this.names.map((name, index) => [name, index]));
  }

  get count(): number {
    return this.names.length;
  }

  vector(quantities: Quantities = {}): Float64Array {
    const vector = new Float64Array(this.count);
    for (const [name, text] of Object.entries(quantities)) {
      const index = this.#index.get(name);
      if (index !== undefined) vector[index] = index === CPU ? quantity(text) * 1_000 : quantity(text);
    }
    return vector;
  }

  /**
   * Containers and sidecars together, or the largest init container beside the sidecars started before it
   * (k8s.io/component-helpers/resource, PodRequests).
   */
  ofPod({ containers = [], initContainers = [], overhead }: PodSpec, volumes: number): Float64Array {
    const running = this.vector();
    const sidecars = this.vector();
    const init = this.vector();
    for (const { resources } of containers) add(running, this.vector(resources?.requests));
    for (const { resources, restartPolicy } of initContainers) {
      const request = this.vector(resources?.requests);
      if (restartPolicy === 'Always') add(sidecars, request);
      const needed = restartPolicy === 'Always' ? sidecars : add(request, sidecars);
      for (const [index, value] of needed.entries()) init[index] = Math.max(init[index] ?? 0, value);
    }
    add(running, sidecars);
    for (const [index, value] of init.entries()) running[index] = Math.max(running[index] ?? 0, value);
    add(running, this.vector(overhead));
    running[PODS] = 1;
    running[VOLUMES] = volumes;
    return running;
  }
}

/** Adds in place. */
export function add(vector: Float64Array, other: Float64Array, sign = 1): Float64Array {
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) + sign * (other[index] ?? 0);
  return vector;
}
