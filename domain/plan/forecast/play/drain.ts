/** One node that is drained: its pods are evicted as far as their budgets allow, and tried again when these allow more. */
import { at } from '../model/at.ts';
import type { Budgets, Refusal } from './budgets.ts';
import type { PlayClock } from './clock.ts';
import type { Nodes } from './nodes.ts';
import { RUNNING } from './pod-state.ts';
import type { Pods } from './pods.ts';

export interface DrainOptions {
  /** Karpenter evicts critical pods once the others are gone, and leaves those alone that forbid it. */
  like: 'karpenter' | 'kubectl';
  /** What is left then is deleted, without asking budgets; less each pod's grace period. */
  forceAfterMs?: number;
  /** Pods that budgets refuse are deleted at once. */
  forced?: boolean;
  onEmpty: () => void;
}

interface DrainParts {
  clock: PlayClock;
  nodes: Nodes;
  pods: Pods;
  budgets: Budgets;
}

/** A refused eviction is tried again after 100 ms, and then after twice as long each time, up to ten seconds (Karpenter's terminator/eviction.go). */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** kubectl's drain.go. */
const KUBECTL_RETRY_MS = 5_000;

export class Drain {
  readonly node: number;
  readonly #of: DrainParts;
  readonly #options: DrainOptions;
  #over = false;
  /** Pods that are refused, since when. */
  readonly #refusedSinceMs = new Map<number, number>();
  readonly #due = new Set<number>();
  readonly #wake = (): void => this.#retryLater();

  constructor(node: number, parts: DrainParts, options: DrainOptions) {
    this.node = node;
    this.#of = parts;
    this.#options = options;
    parts.nodes.close(node);
    parts.pods.watch(node, () => this.#evict());
    if (options.forceAfterMs !== undefined) this.#forceLater(options.forceAfterMs);
    this.#evict();
  }

  /** The first pod that is refused, and why; undefined: nothing is. */
  get refused(): { pod: number; refusal: Refusal | { kind: 'do-not-disrupt'; budgets: [] } } | undefined {
    for (const pod of at(this.#of.nodes.list, this.node).pods) {
      const refusal = this.#refusal(pod);
      if (refusal !== undefined) return { pod, refusal };
    }
    return undefined;
  }

  /** Nobody drains it any more. */
  stop(): void {
    this.#over = true;
    this.#of.pods.watch(this.node, undefined);
  }

  /** From now on budgets are not asked. */
  force(): void {
    if (this.#over) return;
    for (const pod of at(this.#of.nodes.list, this.node).pods.slice()) this.#of.pods.evict(pod);
    this.#end();
  }

  #evict(): void {
    if (this.#over) return;
    const { pods } = this.#of;
    const here = at(this.#of.nodes.list, this.node);
    const ordinary = this.#options.like === 'karpenter' ? here.pods.filter((pod) => !pods.classOf(pod).critical) : here.pods;
    const due = ordinary.length > 0 ? [...ordinary] : here.bodies > 0 && this.#options.like === 'karpenter' ? [] : [...here.pods];
    for (const pod of due) {
      if (!this.#refusedSinceMs.has(pod)) this.#try(pod);
    }
    this.#end();
  }

  #try(pod: number): void {
    const { pods, budgets, clock } = this.#of;
    const refusal = this.#options.forced === true ? undefined : this.#refusal(pod);
    if (refusal === undefined) {
      this.#refusedSinceMs.delete(pod);
      return pods.evict(pod);
    }
    if (!this.#refusedSinceMs.has(pod)) this.#refusedSinceMs.set(pod, clock.nowMs);
    budgets.wait(refusal.budgets, this.#wake);
  }

  /** A budget may allow more: who waits for it hears of that at the next try. */
  #retryLater(): void {
    const { clock, nodes } = this.#of;
    for (const [pod, sinceMs] of this.#refusedSinceMs) {
      if (this.#due.has(pod)) continue;
      this.#due.add(pod);
      clock.after(sinceMs + nextTryMs(this.#options.like, clock.nowMs - sinceMs) - clock.nowMs, () => {
        this.#due.delete(pod);
        if (this.#over || !at(nodes.list, this.node).pods.includes(pod)) return;
        this.#try(pod);
        this.#end();
      });
    }
  }

  #refusal(pod: number): Refusal | { kind: 'do-not-disrupt'; budgets: [] } | undefined {
    const { state, budgets, doNotDisrupt } = at(this.#of.pods.list, pod);
    if (doNotDisrupt && this.#options.like === 'karpenter') return { kind: 'do-not-disrupt', budgets: [] };
    return this.#of.budgets.refusal(budgets, state === RUNNING);
  }

  #end(): void {
    const { pods, bodies } = at(this.#of.nodes.list, this.node);
    if (this.#over || pods.length > 0 || bodies > 0) return;
    this.stop();
    this.#options.onEmpty();
  }

  #forceLater(afterMs: number): void {
    const { clock, nodes, pods } = this.#of;
    for (const pod of at(nodes.list, this.node).pods) {
      const { turn } = at(pods.list, pod);
      clock.after(afterMs - pods.classOf(pod).graceMs, () => {
        if (!this.#over && at(pods.list, pod).turn === turn && at(pods.list, pod).node === this.node) pods.evict(pod);
        this.#end();
      });
    }
  }
}

/** The first try that comes later than that; both from the first one of all on. */
function nextTryMs(like: DrainOptions['like'], waitedMs: number): number {
  if (like === 'kubectl') return (Math.floor(waitedMs / KUBECTL_RETRY_MS) + 1) * KUBECTL_RETRY_MS;
  let tryMs = 0;
  for (let stepMs = FIRST_RETRY_MS; tryMs <= waitedMs; stepMs = Math.min(2 * stepMs, LAST_RETRY_MS)) tryMs += stepMs;
  return tryMs;
}
