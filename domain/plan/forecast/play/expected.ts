/** Pods that Karpenter expects, by node. */

const NONE: ReadonlySet<number> = new Set();

export class Expected {
  readonly #pods = new Map<number, Set<number>>();

  /** On which there are any. */
  get nodes(): Iterable<number> {
    return this.#pods.keys();
  }

  on(node: number): ReadonlySet<number> {
    return this.#pods.get(node) ?? NONE;
  }

  add(node: number, pod: number): void {
    const there = this.#pods.get(node);
    if (there === undefined) this.#pods.set(node, new Set([pod]));
    else there.add(pod);
  }

  delete(node: number, pod: number): void {
    const there = this.#pods.get(node);
    there?.delete(pod);
    if (there?.size === 0) this.#pods.delete(node);
  }
}
