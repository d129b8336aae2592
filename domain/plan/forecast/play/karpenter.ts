/**
 * Karpenter's drift: one node after the other, empty ones first, as far as the budgets of its pool allow; its replacement is Ready before it is
 * drained (sigs.k8s.io/karpenter, pkg/controllers/disruption: drift.go, helpers.go BuildDisruptionBudgetMapping, queue.go).
 */
import { at } from '../model/at.ts';
import { minDrainMs } from '../model/karpenter-version.ts';
import type { Cluster } from '../model/cluster.ts';
import { isOpen } from '../model/schedule.ts';
import { allowedNodes } from '../../../policy/freeze-means.ts';
import { budgetOf } from '../../../policy/pace.ts';
import type { NodeLengths } from '../measure/node-lengths.ts';
import type { Random } from '../measure/random.ts';
import type { Budgets, Refusal } from './budgets.ts';
import { Candidates, type Look } from './candidates.ts';
import type { PlayClock } from './clock.ts';
import type { Drain, DrainOptions } from './drain.ts';
import type { Ledger } from './ledger.ts';
import type { Nodes } from './nodes.ts';
import { RUNNING } from './pod-state.ts';
import type { Pods } from './pods.ts';
import type { Provisioner } from './provisioner.ts';

/** How often it looks where there is nothing to do (disruption/controller.go, pollingPeriod). */
const POLL_MS = 10_000;
/** How often it looks whether a replacement is initialized (disruption/queue.go, queueBaseDelay). */
const QUEUE_MS = 1_000;
/** Budgets with a schedule open by themselves. */
const STALE_MS = 60_000;

/** Why a node is no candidate. */
export type Obstacle =
  | { kind: 'node' }
  | { kind: 'do-not-disrupt'; pod: number | undefined }
  | ({ pod: number } & Refusal)
  | { kind: 'no-room'; pod: number };

interface Parts {
  cluster: Cluster;
  clock: PlayClock;
  ledger: Ledger;
  nodes: Nodes;
  pods: Pods;
  budgets: Budgets;
  provisioner: Provisioner;
  lengths: NodeLengths;
  random: Random;
  beganAtMs: number;
  drain(node: number, options: DrainOptions): Drain;
  remove(node: number, onGone: () => void): void;
}

export class Karpenter {
  readonly #of: Parts;
  readonly #candidates: Candidates;
  /** What each pool's nodes may do, in the words of a pace; absent: frozen. */
  readonly #paces = new Map<number, string>();
  #looping = false;
  /** Nothing was found when things stood like this. */
  #idleAt = -1;
  #lookAtMs = 0;
  /** Candidates that found no room when the room was this. */
  readonly #failedAt = new Map<number, number>();
  /** The budget that closed a candidate at the last look. */
  readonly #closedBy = new Map<number, number>();
  /** Nodes whose pods would find no room, as of the last look. */
  readonly noRoom = new Map<number, number>();
  readonly drains = new Map<number, Drain>();
  /** Of the controller that runs now; undefined: unknown. */
  version: string | undefined;

  constructor(parts: Parts) {
    this.#of = parts;
    this.#candidates = new Candidates(parts.nodes);
    this.version = parts.cluster.karpenter;
  }

  /** Nodes whose image is not their class's any more. */
  drift(nodes: readonly number[]): void {
    this.#candidates.add(nodes);
    this.#changed();
  }

  /** As belay's own budget beside those of the pool. "freeze": none. */
  pace(pools: readonly number[], pace: string): void {
    for (const pool of pools) this.#paces.set(pool, pace);
    this.#changed();
  }

  /** Something else than room is different: a mark on a node is gone. */
  changed(): void {
    this.#changed();
  }

  #changed(): void {
    this.#idleAt = -1;
    if (this.#looping || this.#candidates.tidy() === 0) return;
    this.#looping = true;
    this.#of.clock.after(this.#of.random.next() * POLL_MS, () => this.#loop());
  }

  #loop(): void {
    const { clock, nodes, lengths, random } = this.#of;
    if (this.#candidates.tidy() === 0) {
      this.#looping = false;
      return;
    }
    const looks = this.#idleAt !== nodes.epoch || clock.nowMs >= this.#lookAtMs;
    const found = looks ? this.#command() : 'nothing';
    if (looks && found === 'nothing') {
      this.#idleAt = nodes.epoch;
      this.#lookAtMs = clock.nowMs + STALE_MS;
    }
    clock.after(found === 'replaced' ? lengths.use(lengths.command).sample(random) : POLL_MS, () => this.#loop());
  }

  /** The first candidate that may go and whose pods fit somewhere. */
  #command(): ReturnType<Candidates['find']> {
    const { list } = this.#of.nodes;
    const room = this.#rooms();
    if (room.every((allowed) => allowed <= 0)) return 'nothing';
    return this.#candidates.find(
      (index) => (room[at(list, index).pool] ?? 0) > 0 && !this.#isOutOfTheQuestion(index),
      (index) => this.#look(index),
    );
  }

  /** As at the last look, without looking closely. */
  #isOutOfTheQuestion(index: number): boolean {
    const { budgets, nodes } = this.#of;
    if (this.#failedAt.get(index) === nodes.roomEpoch) return true;
    const closed = this.#closedBy.get(index);
    if (closed !== undefined && budgets.allowed(closed) === 0) return true;
    const obstacle = this.obstacle(index);
    if (obstacle?.kind === 'budget') this.#closedBy.set(index, at(obstacle.budgets, 0));
    else this.#closedBy.delete(index);
    return obstacle !== undefined;
  }

  #look(index: number): Look {
    const { nodes, provisioner } = this.#of;
    const movable = at(nodes.list, index).pods.filter((pod) => !this.#staysFor(pod));
    const simulated = provisioner.simulate(movable, index);
    if (simulated.kind === 'not-yet') return 'not-yet';
    if (simulated.kind === 'no-room') {
      this.noRoom.set(index, simulated.pod);
      this.#failedAt.set(index, nodes.roomEpoch);
      return 'no-room';
    }
    this.noRoom.delete(index);
    this.#replace(index, simulated.launch);
    return 'replaced';
  }

  /** Pods that will not be evicted get no room elsewhere (IsCurrentlyReschedulable). */
  #staysFor(pod: number): boolean {
    const { doNotDisrupt, budgets } = at(this.#of.pods.list, pod);
    return doNotDisrupt || budgets.some((budget) => isFullyBlocking(this.#of.cluster, budget));
  }

  /** Disruptions that the budgets of each pool allow now. Nodes that are not Ready, or being replaced already, count against them. */
  #rooms(): number[] {
    const { nodes, clock, beganAtMs, cluster } = this.#of;
    return cluster.pools.map(({ budgets }, pool) => {
      const pace = this.#paces.get(pool) ?? 'freeze';
      const { count, away } = at(nodes.tally.pools, pool);
      let allowed = allowedNodes(budgetOf(pace), count);
      for (const { nodes: most = '10%', reasons, schedule, duration } of budgets) {
        if (reasons !== undefined && !reasons.includes('Drifted')) continue;
        const open = schedule === undefined ? true : isOpen(schedule, duration ?? '', beganAtMs + clock.nowMs);
        if (open === undefined) return 0;
        if (open) allowed = Math.min(allowed, allowedNodes(most, count));
      }
      return allowed - away;
    });
  }

  /** Why Karpenter does not choose this node now; undefined: nothing forbids it (state/statenode.go, ValidateNodeDisruptable and ValidatePodsDisruptable). */
  obstacle(index: number): Obstacle | undefined {
    const { nodes, pods, budgets, cluster } = this.#of;
    const node = at(nodes.list, index);
    if (node.held) return { kind: 'node' };
    // A terminationGracePeriod lets it drain all the same, and force what is left.
    if (cluster.pools[node.pool]?.terminationGraceMs !== undefined) return undefined;
    if (node.heldBy !== undefined) return { kind: 'do-not-disrupt', pod: undefined };
    for (const pod of node.pods) {
      const { doNotDisrupt, budgets: own, state } = at(pods.list, pod);
      if (doNotDisrupt) return { kind: 'do-not-disrupt', pod };
      const refusal = budgets.holds(own, state === RUNNING);
      if (refusal !== undefined) return { ...refusal, pod };
    }
    return undefined;
  }

  #replace(index: number, launch: number[]): void {
    const { nodes, provisioner } = this.#of;
    nodes.leave(index, 'leaving');
    nodes.close(index);
    provisioner.await(launch, () => {
      if (launch.length === 0) this.#drain(index);
      else this.#of.clock.after(this.#of.random.next() * QUEUE_MS, () => this.#drain(index));
    });
  }

  #drain(index: number): void {
    const { nodes, cluster, clock } = this.#of;
    const node = at(nodes.list, index);
    const hasVolumes = node.pods.some((pod) => this.#of.pods.classOf(pod).volumes > 0);
    const longEnoughMs = clock.nowMs + minDrainMs(cluster.pools[node.pool]?.auto === true ? undefined : this.version);
    const drain = this.#of.drain(index, {
      like: 'karpenter',
      forceAfterMs: cluster.pools[node.pool]?.terminationGraceMs,
      onEmpty: () => clock.after(Math.max(0, longEnoughMs - clock.nowMs), () => this.#drained(index, hasVolumes)),
    });
    if (node.pods.length + node.bodies > 0) this.drains.set(index, drain);
  }

  /** The instance is ended once its volumes are detached; from then on it counts for no budget (node/termination/controller.go, InstanceTerminating). */
  #drained(index: number, hasVolumes: boolean): void {
    const { nodes, cluster, ledger, clock, lengths, random } = this.#of;
    const { owner, pool } = at(nodes.list, index);
    this.drains.delete(index);
    clock.after(hasVolumes ? lengths.use(lengths.detach).sample(random) : 0, () => {
      this.#of.remove(index, () => ledger.replace(owner, cluster.pools[pool]?.name ?? ''));
      nodes.epoch += 1;
    });
  }
}

/** PDBs that Karpenter takes for never giving way (pkg/utils/pdb, isFullyBlocking). */
function isFullyBlocking({ budgets }: Cluster, index: number): boolean {
  const { minAvailable, maxUnavailable } = at(budgets, index);
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}
