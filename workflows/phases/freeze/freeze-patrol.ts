/** What alone touches the budgets of a freeze: sets the pace, looks all the time whether it stands, and puts back what others take out. */
import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { FreezeState } from '../../../activities/contract/karpenter.ts';
import type { FreezeMeans } from '../../../domain/policy/freeze-means.ts';
import type { PhaseActivities } from '../../runtime/activity-proxies.ts';
import type { Phase } from '../base/phase.ts';
import { freezeOf, type PhaseInput } from '../../contract/phase.ts';
import { defined } from '../../../domain/core/defined.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { freezeGuardedAgain, freezeReverted, freezeUnguarded } from '../../messages/karpenter/freeze.ts';
import { asPhaseFailure, isReplaced } from '../../runtime/phase-failure.ts';

/** For what, which pools, and by which means: where those are not budgets alone the watcher keeps them up. */
export interface FreezeHow {
  reasons: string[];
  means?: FreezeMeans;
  /** Absent: every pool. */
  onlyPools?: string[];
  guard?: string;
}

export function freezeHow(input: PhaseInput): FreezeHow {
  const { freezeMeans: means, freezePools: onlyPools } = freezeOf(input);
  const how = { reasons: input.policy.karpenter.freezeReasons, ...defined({ onlyPools }) };
  return means === undefined ? how : { ...how, means, guard: workflowInfo().workflowId };
}

export class FreezePatrol {
  readonly #phase: Phase;
  readonly #how: FreezeHow;
  #nodes = '0';
  /** What the budgets say for certain; undefined after a change that may have been made or not. */
  #applied: string | undefined = '0';
  /** Of the step: it outlasts the beginning of the freeze, in which it starts. */
  readonly #root = CancellationScope.current();
  #scope = new CancellationScope();
  #over = false;
  #patrolling = false;
  /** Budgets are being changed on purpose: the patrol must not take that for a revert. */
  #changing = false;
  /** Why the freeze cannot be looked at, or not be put back. Said once. */
  #problem: string | undefined;
  #unset: string | undefined;
  #replaced: string | undefined;
  /** A watcher that keeps the pace up: what it does has ended before anything else is done. */
  #keeping: Promise<unknown> = Promise.resolve();
  /** A reverted freeze is being put back: nothing else touches the budgets before that is over. */
  #puttingBack: Promise<void> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(phase: Phase, how: FreezeHow) {
    this.#phase = phase;
    this.#how = how;
  }

  /** True: Karpenter is let replace nothing, as far as this guard knows. */
  get isStopped(): boolean {
    return this.#applied === '0';
  }

  /** Why the last change was not made. */
  get problem(): string | undefined {
    return this.#unset;
  }

  /** Why there is nothing left to guard: the cluster is another one. */
  get replaced(): string | undefined {
    return this.#replaced;
  }

  /** Elsewhere it was seen that the cluster is another one. */
  forget(why: string): void {
    this.#replaced = why;
    this.leave();
  }

  start(): void {
    if (this.#patrolling) return;
    this.#patrolling = true;
    void this.#root.run(() => CancellationScope.nonCancellable(() => this.#patrol()));
  }

  /** From here on nobody looks. Waits until nothing touches the budgets any more. */
  async end(): Promise<void> {
    this.leave();
    await this.#calm();
  }

  leave(): void {
    this.#over = true;
    this.#scope.cancel();
  }

  /** One change after the other. Gives why the budgets do not say so, undefined where they do. */
  set(nodes: string): Promise<string | undefined> {
    const turn = this.#turn.then(() => this.#set(nodes));
    this.#turn = turn;
    return turn;
  }

  /**
   * At once: a watcher that lets nodes go one by one may need a heartbeat's time to hear that it is called back, so nodes are held before it has ended,
   * and once more after.
   */
  async stop(): Promise<string | undefined> {
    this.#unset = undefined;
    const isKeeping = this.#how.means !== undefined && this.#nodes !== '0';
    if (isKeeping) {
      this.#applied = undefined;
      await this.#apply('0').catch(() => undefined);
    }
    return await this.set('0');
  }

  async #set(nodes: string): Promise<string | undefined> {
    this.#changing = true;
    this.#applied = undefined;
    await this.#calm();
    this.#nodes = nodes;
    let problem: string | undefined;
    try {
      const state = await this.#apply(nodes);
      if (state.intact) [this.#applied, this.#problem] = [nodes, undefined];
      else problem = `budgets of ${state.reverted.join(', ') || 'some NodePools'} do not say so`;
    } catch (error) {
      if (isReplaced(error)) this.#replaced = messageOf(error);
      problem = asPhaseFailure('setting the budgets', error).message;
    }
    this.#changing = false;
    this.#unset = problem;
    return problem;
  }

  #apply(nodes: string): Promise<FreezeState> {
    const { activities, cluster } = this.#phase;
    return CancellationScope.nonCancellable(() =>
      activities.quick.setDriftPace.executeWithOptions({ summary: `Let drift replace nodes: ${nodes} at a time` }, [
        { cluster, nodes, ...this.#how },
      ]),
    );
  }

  /** Tries for as long as it takes, more and more seldom, until the budgets say what they should; `until`: it does not matter any more. */
  async recovered(until: () => boolean): Promise<boolean> {
    await this.#calm();
    this.#changing = true;
    const scope = new CancellationScope({ cancellable: true });
    let done = false;
    const recovering = scope
      .run(() => this.#recover(this.#phase.activities.keep))
      .then(
        () => void ([this.#applied, this.#unset, this.#problem] = [this.#nodes, undefined, undefined]),
        (error: unknown) => void (isReplaced(error) && (this.#replaced = messageOf(error))),
      )
      .finally(() => void (done = true));
    await condition(() => done || until());
    scope.cancel();
    await recovering;
    this.#changing = false;
    return this.#applied === this.#nodes;
  }

  get #watcher(): PhaseActivities['watch'] {
    const { activities } = this.#phase;
    return this.#how.means === undefined ? activities.watch : activities.keep;
  }

  /** Looks all the time whether somebody reverted the freeze; repairs it and says so. */
  async #patrol(): Promise<void> {
    while (!this.#over) {
      await condition(() => !this.#changing || this.#over);
      if (this.#over) return;
      this.#scope = new CancellationScope({ cancellable: true });
      try {
        await (this.#problem === undefined ? this.#look() : this.#getBack());
      } catch (error) {
        // A watcher whose worker died while it was called back ends by its time-out.
        if (isCancellation(error) || this.#scope.consideredCancelled) continue;
        if (isReplaced(error)) return void (this.#replaced = messageOf(error));
        this.#trouble(asPhaseFailure('guarding', error).message);
      }
    }
  }

  async #look(): Promise<void> {
    const watch = this.#scope.run(() =>
      this.#watcher.watchFreeze.executeWithOptions({ summary: `Guard: drift budget stays at ${this.#nodes}` }, [
        { ...this.#phase.target, nodes: this.#nodes, ...this.#how },
      ]),
    );
    if (this.#how.means !== undefined) this.#keeping = watch.catch(() => undefined);
    const seen = await watch;
    if (this.#over || seen.intact) return;
    this.#phase.announcer.note(freezeReverted(seen));
    // What runs cannot be called back: whoever changes the budgets next waits for its end.
    const putBack = this.#putBack();
    this.#puttingBack = putBack.catch(() => undefined);
    await putBack;
  }

  #trouble(why: string): void {
    this.#problem = why;
    this.#phase.announcer.note(freezeUnguarded(why));
  }

  /** One activity until the freeze can be looked at and stands: a look that fails leaves nothing in the history. */
  async #getBack(): Promise<void> {
    const recovering = this.#scope.run(() => this.#recover(this.#phase.activities.keep));
    this.#keeping = recovering.catch(() => undefined);
    await recovering;
    this.#problem = undefined;
    this.#phase.announcer.note(freezeGuardedAgain(this.#nodes));
  }

  #recover(by: PhaseActivities['keep']): Promise<FreezeState> {
    const guard = workflowInfo().workflowId;
    return by.watchFreeze.executeWithOptions({ summary: `Get the freeze back to ${this.#nodes}` }, [
      { ...this.#phase.target, nodes: this.#nodes, guard, recover: true, ...this.#how },
    ]);
  }

  async #calm(): Promise<void> {
    this.#scope.cancel();
    await this.#keeping;
    await this.#puttingBack;
  }

  async #putBack(): Promise<void> {
    const { activities, cluster } = this.#phase;
    await activities.quick.freezeDrift.executeWithOptions({ summary: 'Put the freeze back' }, [
      { cluster, guard: workflowInfo().workflowId, ...this.#how },
    ]);
    if (this.#nodes !== '0') {
      await activities.quick.setDriftPace.executeWithOptions({ summary: 'Put the pace back' }, [
        { cluster, nodes: this.#nodes, ...this.#how },
      ]);
    }
  }
}
