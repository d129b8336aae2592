/** Nodes that Karpenter cannot replace, as Belay's roll notices them: named at a gate, and what people are assumed to choose there. */
import { count } from '../../../core/text.ts';
import { pollIntervalMs } from '../../../policy/policy.ts';
import type { PlannedStep } from '../../model/types.ts';
import { at } from '../model/at.ts';
import type { BlockReason } from '../types.ts';
import type { Obstacle } from '../play/karpenter.ts';
import { askPeople, type Run } from './run.ts';

/** One gate asks about so many (activities/karpenter/drift/watch-drift.ts). */
const ASKED_AT_ONCE = 20;
/** Looks are no closer together in a simulation: belay.yaml may ask for milliseconds. */
const LOOK_AT_LEAST_MS = 1_000;
/** With more nodes than this to look at, looks are rarer. */
const MANY = 250;

interface Hold {
  node: number;
  reason: BlockReason;
  pod: number | undefined;
  budgets: number[];
  /** It will not go by itself. */
  lasting: boolean;
}

export class BlockedNodes {
  readonly #run: Run;
  readonly #step: PlannedStep;
  /** Old nodes that are waited for, without those of later waves. */
  readonly #left: () => readonly number[];
  /** A budget that lets its pods go one after the other holds the others as long as nothing of it moves (activities/kubernetes/drain/blockers.ts). */
  readonly #heldSince = new Map<number, { sinceMs: number; leftCount: number }>();
  /** One replica more, by workload. */
  readonly #scaled = new Map<number, { pod: number; atMs: number }>();
  readonly #unmovable: number[];
  readonly skipped = new Set<number>();
  #asking = false;
  /** Since a look found somebody to ask, or the roll began: looks become rarer with time, as those of a wait do (activities/runtime/wait-until.ts). */
  #watchedSinceMs: number;
  #leftCount = -1;
  #movedAtMs = 0;
  #over = false;

  constructor(run: Run, step: PlannedStep, left: () => readonly number[]) {
    this.#run = run;
    this.#step = step;
    this.#left = left;
    const { clock, cluster } = run.play;
    this.#unmovable = cluster.pods.flatMap(({ doNotDisrupt, budgets }, pod) => (doNotDisrupt || budgets.length > 1 ? [pod] : []));
    this.#movedAtMs = clock.nowMs;
    this.#watchedSinceMs = clock.nowMs;
    clock.after(0, () => this.#look());
  }

  /** What was scaled is scaled back. */
  end(): void {
    this.#over = true;
    for (const { pod } of this.#scaled.values()) this.#run.play.pods.remove(pod);
  }

  /** What was waited for before, a pace of zero or people, is not the nodes' doing. */
  #look(): void {
    if (this.#over) return;
    const { clock } = this.#run.play;
    if (!this.#asking) this.#judge();
    const everyMs = Math.max(LOOK_AT_LEAST_MS, pollIntervalMs(this.#run.policy.timing, clock.nowMs - this.#watchedSinceMs));
    clock.after(everyMs * Math.max(1, this.#leftCount / MANY), () => this.#look());
  }

  #judge(): void {
    const { driftBlockedAfterMs: limitMs, driftNamedAfterMs } = this.#run.policy.timing;
    const { nowMs } = this.#run.play.clock;
    const left = this.#left();
    if (left.length !== this.#leftCount) {
      this.#leftCount = left.length;
      this.#movedAtMs = nowMs;
    }
    const stalled = nowMs - this.#movedAtMs >= limitMs / 3;
    const suspects = this.#suspects();
    const holds = left.flatMap((node) => (suspects.has(node) || this.#isMarked(node) ? (this.#holdOf(node, stalled) ?? []) : []));
    const held = new Set(holds.map(({ node }) => node));
    for (const node of this.#heldSince.keys()) if (!held.has(node)) this.#heldSince.delete(node);
    const leftOf = this.#leftOfBudgets(left);
    for (const { node, lasting, budgets } of holds) {
      const leftCount = lasting ? 0 : budgets.reduce((sum, budget) => sum + leftOf(budget), 0);
      if (this.#heldSince.get(node)?.leftCount !== leftCount) this.#heldSince.set(node, { sinceMs: nowMs, leftCount });
    }
    const heldMs = ({ node }: Hold): number => nowMs - (this.#heldSince.get(node)?.sinceMs ?? nowMs);
    const allHeld = holds.length === left.length && holds.every((hold) => heldMs(hold) >= limitMs / 3);
    const lastingMs = Math.min(limitMs, driftNamedAfterMs ?? limitMs);
    const due = holds.filter((hold) => allHeld || heldMs(hold) >= (hold.lasting ? lastingMs : limitMs)).slice(0, ASKED_AT_ONCE);
    if (due.length > 0) this.#ask(due);
  }

  /** How many pods of a budget are on nodes that are left. */
  #leftOfBudgets(left: readonly number[]): (budget: number) => number {
    const { pods, cluster } = this.#run.play;
    const nodes = new Set(left);
    const counts = new Map<number, number>();
    return (budget) => {
      const known = counts.get(budget);
      if (known !== undefined) return known;
      const count = at(cluster.budgets, budget).pods.filter((pod) => nodes.has(at(pods.list, pod).node)).length;
      counts.set(budget, count);
      return count;
    };
  }

  /** Nodes of pods whose budgets are used up, and of pods that are never evicted: the others need no closer look. */
  #suspects(): Set<number> {
    const { budgets, pods, cluster } = this.#run.play;
    const suspects = new Set<number>();
    for (const [index, budget] of cluster.budgets.entries())
      if (budgets.allowed(index) === 0) for (const pod of budget.pods) suspects.add(at(pods.list, pod).node);
    for (const pod of this.#unmovable) suspects.add(at(pods.list, pod).node);
    return suspects;
  }

  #isMarked(node: number): boolean {
    const { nodes, karpenter } = this.#run.play;
    const { held, heldBy } = at(nodes.list, node);
    return held || heldBy !== undefined || karpenter.drains.has(node) || karpenter.noRoom.has(node);
  }

  #holdOf(node: number, stalled: boolean): Hold | undefined {
    const { karpenter, budgets } = this.#run.play;
    const drain = karpenter.drains.get(node)?.refused;
    const obstacle: Obstacle | undefined = drain === undefined ? this.#obstacle(node) : { ...drain.refusal, pod: drain.pod };
    if (obstacle === undefined) {
      const pod = karpenter.noRoom.get(node);
      // Only Karpenter's events say so, and these count when nothing moves.
      return pod === undefined || !stalled ? undefined : { node, reason: 'no-room', pod, budgets: [], lasting: false };
    }
    switch (obstacle.kind) {
      case 'node':
        return { node, reason: 'do-not-disrupt', pod: undefined, budgets: [], lasting: true };
      case 'do-not-disrupt':
        return { node, reason: 'do-not-disrupt', pod: obstacle.pod, budgets: [], lasting: true };
      case 'several-budgets':
        return { node, reason: 'several-budgets', pod: obstacle.pod, budgets: obstacle.budgets, lasting: true };
      case 'budget':
        return {
          node,
          reason: 'budget',
          pod: obstacle.pod,
          budgets: obstacle.budgets,
          lasting: obstacle.budgets.every((each) => budgets.isLasting(each)),
        };
      case 'no-room':
        return { node, reason: 'no-room', pod: obstacle.pod, budgets: [], lasting: false };
    }
  }

  /** A node that is being replaced already has none. */
  #obstacle(node: number): Obstacle | undefined {
    const { karpenter, nodes } = this.#run.play;
    return at(nodes.list, node).leaving ? undefined : karpenter.obstacle(node);
  }

  #ask(due: readonly Hold[]): void {
    const { play } = this.#run;
    this.#asking = true;
    for (const { node, pod, reason, budgets } of due) {
      const { name } = at(play.nodes.list, node);
      const blamed = pod !== undefined && pod < play.cluster.pods.length ? pod : undefined;
      play.ledger.blocked(name, { pod: blamed, node, reason, budgets });
    }
    const ms = askPeople(this.#run, this.#step, {
      title: 'Nodes cannot be replaced: what now?',
      why: `Pods or annotations block ${count(due.length, 'node')} at least`,
      assumed: 'a replica more where that frees the pod, else the node is skipped',
    });
    play.clock.after(ms, () => {
      this.#asking = false;
      this.#watchedSinceMs = play.clock.nowMs;
      if (this.#over) return;
      for (const hold of due) this.#decide(hold);
      play.karpenter.changed();
    });
  }

  /** Only what helps is chosen, and once. */
  #decide({ node, pod, reason, budgets }: Hold): void {
    const { play } = this.#run;
    this.#heldSince.delete(node);
    if (this.#holdOf(node, true) === undefined) return;
    const workload = pod === undefined ? undefined : at(play.pods.list, pod).workload;
    const helps = reason === 'budget' && budgets.every((budget) => play.budgets.helpedByOneMore(budget));
    if (pod !== undefined && workload !== undefined && helps && at(play.cluster.workloads, workload).scalable) {
      const { nowMs } = play.clock;
      const replica = this.#scaled.get(workload);
      if (replica === undefined) {
        this.#scaled.set(workload, { pod: play.pods.addLike(pod), atMs: nowMs });
        return;
      }
      // It is on its way; one that finds no node in that time frees nothing.
      const onItsWay = nowMs - replica.atMs < this.#run.policy.timing.driftBlockedAfterMs;
      if (onItsWay && !play.pods.isReady(replica.pod)) return;
    }
    this.skipped.add(node);
    at(play.nodes.list, node).held = true;
  }
}
