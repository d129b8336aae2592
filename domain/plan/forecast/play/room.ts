/** What nodes have room for, what is used of it, and what is spoken for: one vector after the other, by node. */

export class Room {
  readonly #width: number;
  #room: Float64Array;
  #used: Float64Array;
  #planned: Float64Array;

  /** `width`: resources of a node. */
  constructor(width: number, nodeCount: number) {
    const length = Math.max(16, nodeCount) * width;
    this.#width = width;
    this.#room = new Float64Array(length);
    this.#used = new Float64Array(length);
    this.#planned = new Float64Array(length);
  }

  /** Of a node that is new, or that is another one from now on. */
  set(index: number, room: Float64Array): void {
    if ((index + 1) * this.#width > this.#room.length) this.#grow();
    this.#room.set(room, index * this.#width);
  }

  /** A node that never was. */
  clear(index: number): void {
    const from = index * this.#width;
    this.#used.fill(0, from, from + this.#width);
    this.#planned.fill(0, from, from + this.#width);
  }

  /** `planned`: what is spoken for is taken. `others`: and so is this. */
  fits(index: number, request: Float64Array, planned: boolean, others?: Float64Array): boolean {
    const from = index * this.#width;
    for (let each = 0; each < request.length; each += 1) {
      const wanted = request[each] ?? 0;
      if (wanted === 0) continue;
      const place = from + each;
      const taken = (this.#used[place] ?? 0) + (planned ? (this.#planned[place] ?? 0) : 0) + (others?.[each] ?? 0);
      if (taken + wanted > (this.#room[place] ?? 0) + 1e-6) return false;
    }
    return true;
  }

  /** Share of cpu and memory that is free, as the scheduler's LeastAllocated scores. */
  free(index: number): number {
    const from = index * this.#width;
    let free = 0;
    for (let each = 0; each < 2; each += 1) free += 1 - (this.#used[from + each] ?? 0) / (this.#room[from + each] || 1);
    return free;
  }

  /** Of one resource; `planned`: what is spoken for is taken. */
  left(index: number, resource: number, planned: boolean): number {
    const place = index * this.#width + resource;
    const taken = (this.#used[place] ?? 0) + (planned ? (this.#planned[place] ?? 0) : 0);
    return Math.max(0, (this.#room[place] ?? 0) - taken) + 1e-6;
  }

  use(index: number, request: Float64Array, sign: 1 | -1): void {
    change(this.#used, index * this.#width, request, sign);
  }

  plan(index: number, request: Float64Array, sign: 1 | -1): void {
    change(this.#planned, index * this.#width, request, sign);
  }

  #grow(): void {
    const grown = (of: Float64Array): Float64Array => {
      const larger = new Float64Array(of.length * 2);
      larger.set(of);
      return larger;
    };
    this.#room = grown(this.#room);
    this.#used = grown(this.#used);
    this.#planned = grown(this.#planned);
  }
}

function change(vectors: Float64Array, from: number, request: Float64Array, sign: 1 | -1): void {
  for (let each = 0; each < request.length; each += 1) vectors[from + each] = (vectors[from + each] ?? 0) + sign * (request[each] ?? 0);
}
