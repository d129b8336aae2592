/**
 * One managed node group, as EKS updates it (EKS user guide, "Understand each phase of node updates"): new nodes first, then old ones are
 * drained, at most `maxUnavailable` at a time, then the group shrinks to its size. MINIMAL: an old node goes before the new one comes.
 */
import { at } from '../model/at.ts';
import type { Group, Shape } from '../model/cluster.ts';
import type { Drain } from '../play/drain.ts';
import { GONE } from '../play/nodes.ts';
import type { Play } from '../play/play.ts';

/** "If the Pods don't leave the node within 15 minutes and there's no force flag, the upgrade phase fails with a PodEvictionFailure error." */
const DRAIN_LIMIT_MS = 15 * 60_000;
/** "Waits for 60 seconds", so that the service controller takes the node out of its load balancers. */
const AFTER_DRAIN_MS = 60_000;

export interface GroupRollOptions {
  /** Minor that new nodes run. */
  minor: number;
  /** Budgets are not asked when the time for a drain is over. */
  force: boolean;
  /** Beside the nodes that are replaced, and how many at a time; undefined: as the group says. */
  surge?: number;
  maxUnavailable?: number;
}

export class GroupRoll {
  readonly #play: Play;
  readonly #group: number;
  readonly #of: Group;
  readonly #shape: Shape;
  readonly #options: GroupRollOptions;
  readonly #old: number[];
  #inWork = 0;
  #coming = 0;
  #surplus = 0;
  /** Node that could not be drained in time. */
  failedOn: { node: number; pod: number; kind: 'budget' | 'several-budgets'; budgets: number[] } | undefined;
  done = false;

  constructor(play: Play, group: number, shape: Shape, options: GroupRollOptions) {
    this.#play = play;
    this.#group = group;
    const { maxUnavailable, ...of } = at(play.cluster.groups, group);
    this.#of = { ...of, maxUnavailable: options.maxUnavailable ?? maxUnavailable };
    this.#shape = shape;
    this.#options = options;
    this.#old = play.nodes.list.flatMap((node, index) =>
      node.group === group && node.state !== GONE && node.minor < options.minor ? [index] : [],
    );
    play.clock.after(play.lengths.use(play.lengths.groupSetup).sample(play.random), () => this.#scaleUp());
  }

  /** All of them, where they are many, with those zones first that have the most. */
  #scaleUp(): void {
    const { zones, maxUnavailable, minimal } = this.#of;
    if (this.#old.length === 0) return this.#end();
    const surge = minimal ? 0 : (this.#options.surge ?? Math.max(2 * Math.max(1, zones.length), maxUnavailable));
    this.#surplus = surge;
    if (surge === 0) return this.#replace();
    let left = surge;
    for (let each = 0; each < surge; each += 1) {
      this.#launch(zones[each % zones.length] ?? 0, () => {
        left -= 1;
        if (left === 0) this.#ready();
      });
    }
  }

  /** Old nodes take no new pods from here on. */
  #ready(): void {
    for (const index of this.#old) this.#play.nodes.close(index);
    this.#replace();
  }

  #replace(): void {
    if (this.failedOn !== undefined) return this.#end();
    const { random, nodes } = this.#play;
    const waiting = random.shuffle(this.#old.filter((index) => at(nodes.list, index).state !== GONE && !at(nodes.list, index).leaving));
    for (const index of waiting) {
      if (this.#inWork + this.#coming >= this.#of.maxUnavailable) return;
      this.#drain(index);
    }
    if (waiting.length === 0 && this.#inWork === 0 && this.#coming === 0) this.#scaleDown();
  }

  #drain(index: number): void {
    const { clock, nodes } = this.#play;
    const node = at(nodes.list, index);
    node.leaving = true;
    this.#inWork += 1;
    const drain: Drain = this.#play.drain(index, {
      like: 'kubectl',
      onEmpty: () => clock.after(AFTER_DRAIN_MS, () => this.#remove(index)),
    });
    clock.after(DRAIN_LIMIT_MS, () => {
      const { refused } = drain;
      if (node.ending || node.state === GONE || refused === undefined || refused.refusal.kind === 'do-not-disrupt') return;
      if (this.#options.force) return drain.force();
      drain.stop();
      node.leaving = false;
      this.#inWork -= 1;
      this.failedOn ??= { node: index, pod: refused.pod, kind: refused.refusal.kind, budgets: refused.refusal.budgets };
      this.#replace();
    });
  }

  /** Auto Scaling keeps the size: another one comes in its zone. */
  #remove(index: number): void {
    const { ledger } = this.#play;
    const { zone } = at(this.#play.nodes.list, index);
    this.#play.remove(index, () => {
      this.#inWork -= 1;
      ledger.replace(this.#of.owner, this.#of.name);
      this.#coming += 1;
      this.#launch(zone, () => {
        this.#coming -= 1;
        this.#replace();
      });
      this.#replace();
    });
  }

  #launch(zone: number, onReady: () => void): void {
    const { clock, nodes, pods, lengths, random } = this.#play;
    const { owner } = this.#of;
    const index = nodes.launch({ owner, pool: -1, group: this.#group, zone, minor: this.#options.minor, shape: this.#shape });
    nodes.launched(index);
    clock.after(lengths.use(at(lengths.groups, this.#group)).sample(random), () => {
      nodes.comes(index);
      pods.retryOn(index);
      onReady();
    });
  }

  /** One surplus node after the other, the emptiest first; what cannot be drained in time goes all the same. */
  #scaleDown(): void {
    const { nodes, clock } = this.#play;
    if (this.#surplus === 0) return this.#end();
    this.#surplus -= 1;
    const own = nodes.list.flatMap(({ group, state, leaving, isNew }, index) =>
      group === this.#group && state !== GONE && !leaving && isNew ? [index] : [],
    );
    const [emptiest] = own.toSorted((a, b) => at(nodes.list, a).pods.length - at(nodes.list, b).pods.length || b - a);
    if (emptiest === undefined) return this.#end();
    const node = at(nodes.list, emptiest);
    node.leaving = true;
    const drain: Drain = this.#play.drain(emptiest, {
      like: 'kubectl',
      onEmpty: () => this.#play.remove(emptiest, () => this.#scaleDown()),
    });
    clock.after(DRAIN_LIMIT_MS, () => {
      if (!node.ending && node.state !== GONE) drain.force();
    });
  }

  /** A failed update leaves what is new, and the size as it was. */
  #end(): void {
    if (this.done || this.#inWork > 0 || this.#coming > 0) return;
    if (this.failedOn !== undefined) {
      for (const index of this.#old) {
        if (at(this.#play.nodes.list, index).state !== GONE) this.#play.nodes.close(index, false);
      }
      if (this.#surplus > 0) return this.#scaleDown();
    }
    this.done = true;
  }
}
