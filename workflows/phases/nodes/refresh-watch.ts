/** Watches an instance refresh to its end, and asks beside the watch about nodes that cannot be drained: only while it watches are instances drained and held. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { RefreshOutcome } from '../../../activities/contract/self-managed.ts';
import { defined } from '../../../domain/core/defined.ts';
import { instancesReplaced, refreshProgress } from '../../messages/nodes/self-managed.ts';
import type { Phase } from '../base/phase.ts';
import type { BlockedNodes } from './blocked-nodes.ts';
import { HeldNodes } from './held-nodes.ts';

type Ended = Extract<RefreshOutcome, { kind: 'done' | 'ended' | 'timed-out' }>;

interface Watched {
  group: string;
  refreshId: string;
  template: { id: string; version: string };
  drain: boolean;
  blocked: BlockedNodes;
}

export class RefreshWatch {
  readonly #phase: Phase;
  readonly #refresh: Watched;
  readonly #held: HeldNodes;
  #watching: CancellationScope | undefined;
  #told = 0;
  /** Over progress and gates. */
  #heldMs: Record<string, number> | undefined;
  /** What the newest look has counted, in words. */
  #soFar = '';
  /** Until it counts as not done in time, which ends instances undrained: anew with each progress, however many instances there are. */
  #leftMs: number;

  constructor(phase: Phase, refresh: Watched) {
    this.#phase = phase;
    this.#refresh = refresh;
    this.#held = new HeldNodes(phase, refresh.blocked, () => this.#watching?.cancel());
    this.#leftMs = phase.timing.nodeGroupTimeoutMs;
  }

  async toItsEnd(): Promise<Ended> {
    for (;;) {
      this.#held.throwIfFailed();
      const outcome = await this.#watch();
      if (outcome === undefined) continue;
      if (outcome.kind === 'done' || outcome.kind === 'ended' || outcome.kind === 'timed-out') return outcome;
      const { percent, leftCount, heldMs } = outcome;
      this.#soFar = refreshProgress(this.#refresh.group, percent, leftCount);
      this.#heldMs = heldMs;
      await this.#hear(outcome);
    }
  }

  /** Nobody is asked about its nodes any more. */
  async end(why: string): Promise<void> {
    await this.#held.end(why);
  }

  /** undefined: people have decided something meanwhile, or are to be asked again. */
  async #watch(): Promise<RefreshOutcome | undefined> {
    const { asked, againMs } = this.#held;
    const { group, refreshId, template, drain } = this.#refresh;
    const { target, input, activities } = this.#phase;
    const startedAtMs = Date.now();
    // The time that people take to decide, or have said to wait, is none in which it could have ended.
    const isAsked = asked.length > 0;
    const timeoutMs = isAsked ? againMs : Math.max(1, this.#leftMs);
    const scope = new CancellationScope();
    this.#watching = scope;
    try {
      const outcome = await scope.run(() =>
        activities.keep.watchInstanceRefresh.executeWithOptions({ summary: `Watch the refresh of ${group}` }, [
          {
            ...target,
            group,
            refreshId,
            drain,
            template,
            told: this.#told,
            ownerKeys: input.policy.karpenter.ownerKeys ?? [],
            asked,
            ...defined({ heldMs: this.#heldMs, timeoutMs }),
          },
        ]),
      );
      if (!isAsked || outcome.kind !== 'timed-out') return outcome;
      this.#held.askAgain();
    } catch (error) {
      if (!isCancellation(error) || !scope.consideredCancelled || CancellationScope.current().consideredCancelled) throw error;
    } finally {
      this.#watching = undefined;
      if (!isAsked) this.#leftMs -= Date.now() - startedAtMs;
    }
    return undefined;
  }

  async #hear(outcome: Exclude<RefreshOutcome, Ended>): Promise<void> {
    switch (outcome.kind) {
      case 'progress':
        this.#told = outcome.percent;
        this.#leftMs = this.#phase.timing.nodeGroupTimeoutMs;
        return this.#phase.now(instancesReplaced(this.#refresh.group, outcome.percent, outcome.leftCount));
      case 'freed':
        return await this.#held.freed();
      case 'blocked':
        return await this.#held.hear([outcome.node, ...(outcome.more ?? [])], () => this.#soFar);
    }
  }
}
