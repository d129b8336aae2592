/** The time of one play: what is due next happens next, and at the same moment in the order in which it was asked for. */

interface Due {
  atMs: number;
  order: number;
  act: () => void;
}

export class PlayClock {
  nowMs = 0;
  #order = 0;
  readonly #heap: Due[] = [];

  /** `delayMs` from now; not before. */
  after(delayMs: number, act: () => void): void {
    this.#order += 1;
    this.#push({ atMs: this.nowMs + Math.max(0, Math.round(delayMs)), order: this.#order, act });
  }

  /** Everything up to then happens; false: `isOver` was true before. */
  advance(ms: number): void {
    const endMs = this.nowMs + Math.round(ms);
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) this.#next();
    this.nowMs = endMs;
  }

  /** Lets things happen until `isOver`; false: nothing more happens, or not within `mostMs`. */
  until(isOver: () => boolean, mostMs: number): boolean {
    const endMs = this.nowMs + mostMs;
    while (!isOver()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) return false;
      this.#next();
    }
    return true;
  }

  #next(): void {
    const due = this.#pop();
    if (due === undefined) return;
    this.nowMs = due.atMs;
    due.act();
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let child = heap.push(due) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(due, above)) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const [one, two] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const child = two !== undefined && isBefore(two, one) ? left + 1 : left;
      const smaller = heap[child];
      if (smaller === undefined || !isBefore(smaller, last)) break;
      heap[parent] = smaller;
      parent = child;
    }
    heap[parent] = last;
    return first;
  }
}

const isBefore = (one: Due, other: Due): boolean => one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
