/** Drifted nodes, in the order in which Karpenter looks at them: those without pods before the others. */
import { at } from '../model/at.ts';
import { GONE, type Nodes } from './nodes.ts';

/** Simulations that fail in one loop, at most, to bound a play: the next loop goes on behind them. */
const LOOKS = 30;

/** What came of a closer look: it is replaced, it waits for a node that is coming, or there is no room for its pods. */
export type Look = 'replaced' | 'not-yet' | 'no-room';

export class Candidates {
  readonly #nodes: Nodes;
  #all: number[] = [];
  /** Without those that wait for a node that was coming when so many had come. */
  #open: number[] = [];
  #openedAt = -1;
  /** Those without pods, as of the last time that all were gone through: nodes lose their pods by being drained, and are no candidates then. */
  #empty: number[] | undefined;
  #replacedCount = 0;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  add(nodes: readonly number[]): void {
    this.#all.push(...nodes);
    this.#openedAt = -1;
    this.#empty = undefined;
  }

  /** How many there are, once those that are being replaced are left out. */
  tidy(): number {
    if (this.#replacedCount * 10 >= this.#all.length) {
      const { list } = this.#nodes;
      this.#all = this.#all.filter((index) => at(list, index).state !== GONE && !at(list, index).leaving);
      this.#replacedCount = 0;
      this.#openedAt = -1;
      this.#empty = undefined;
    }
    return this.#all.length;
  }

  /** `mayGo`: nothing forbids it. */
  find(mayGo: (index: number) => boolean, look: (index: number) => Look): 'replaced' | 'nothing' | 'not all looked at' {
    const found = this.#findEmpty(mayGo, look) ? 'replaced' : this.#findFull(mayGo, look);
    if (found === 'replaced') this.#replacedCount += 1;
    return found;
  }

  #findEmpty(mayGo: (index: number) => boolean, look: (index: number) => Look): boolean {
    const { list } = this.#nodes;
    this.#empty ??= this.#all.filter((index) => at(list, index).pods.length === 0);
    return this.#empty.some((index) => {
      const { pods, leaving } = at(list, index);
      return pods.length === 0 && !leaving && mayGo(index) && look(index) === 'replaced';
    });
  }

  #findFull(mayGo: (index: number) => boolean, look: (index: number) => Look): 'replaced' | 'nothing' | 'not all looked at' {
    const { list, cameCount } = this.#nodes;
    if (this.#openedAt !== cameCount) this.#open = [...this.#all];
    this.#openedAt = cameCount;
    const kept: number[] = [];
    let looks = 0;
    for (const [place, index] of this.#open.entries()) {
      const { pods, leaving } = at(list, index);
      if (leaving) continue;
      if (pods.length === 0 || !mayGo(index)) {
        kept.push(index);
        continue;
      }
      const seen = look(index);
      if (seen === 'no-room') kept.push(index);
      looks += 1;
      if (seen !== 'replaced' && looks < LOOKS) continue;
      this.#open = [...kept, ...this.#open.slice(place + 1)];
      return seen === 'replaced' ? seen : 'not all looked at';
    }
    this.#open = kept;
    return 'nothing';
  }
}
