/** Finds the first node that may have room without looking at all of them: each branch knows the most that is free below it. */

export class FitTree {
  #leaves = 1;
  /** Free cpu and memory, by branch; the children of `n` are `2n` and `2n + 1`. */
  #cpu = new Float64Array(2).fill(NOTHING);
  #memory = new Float64Array(2).fill(NOTHING);

  /** A node that takes nothing has less than nothing free. */
  set(index: number, cpu: number, memory: number): void {
    while (index >= this.#leaves) this.#grow();
    let branch = this.#leaves + index;
    this.#cpu[branch] = cpu;
    this.#memory[branch] = memory;
    for (branch >>= 1; branch > 0; branch >>= 1) {
      const most = larger(this.#cpu, branch);
      const mostMemory = larger(this.#memory, branch);
      if (this.#cpu[branch] === most && this.#memory[branch] === mostMemory) return;
      this.#cpu[branch] = most;
      this.#memory[branch] = mostMemory;
    }
  }

  close(index: number): void {
    this.set(index, NOTHING, NOTHING);
  }

  /** The first from `from` on with so much free of both; -1: none. */
  first(from: number, cpu: number, memory: number): number {
    return from >= this.#leaves ? -1 : this.#find(1, 0, this.#leaves, from, cpu, memory);
  }

  #find(branch: number, begin: number, width: number, from: number, cpu: number, memory: number): number {
    if (begin + width <= from || (this.#cpu[branch] ?? NOTHING) < cpu || (this.#memory[branch] ?? NOTHING) < memory) return -1;
    if (width === 1) return begin;
    const half = width / 2;
    const found = this.#find(2 * branch, begin, half, from, cpu, memory);
    return found >= 0 ? found : this.#find(2 * branch + 1, begin + half, half, from, cpu, memory);
  }

  #grow(): void {
    const [cpu, memory, leaves] = [this.#cpu, this.#memory, this.#leaves];
    this.#leaves *= 2;
    this.#cpu = new Float64Array(2 * this.#leaves).fill(NOTHING);
    this.#memory = new Float64Array(2 * this.#leaves).fill(NOTHING);
    for (let index = 0; index < leaves; index += 1) this.set(index, cpu[leaves + index] ?? NOTHING, memory[leaves + index] ?? NOTHING);
  }
}

const NOTHING = -1;

function larger(values: Float64Array, branch: number): number {
  return Math.max(values[2 * branch] ?? NOTHING, values[2 * branch + 1] ?? NOTHING);
}
