/** A step's way to the freeze's guard. */
import { condition, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import type { SignalDefinition } from '@temporalio/common';
import { freezeChanged, setDriftPace, settleFreeze } from '../../contract/messages.ts';
import { freezeGuardGone } from '../../messages/karpenter/freeze.ts';
import type { Phase } from '../base/phase.ts';
import { Heard, stamped } from '../../contract/stamp.ts';
import { isAlive } from '../../runtime/signal-if-running.ts';
import { asPhaseFailure, phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

/** So long a guard may be silent before it is asked whether it lives: one that has died answers nobody. */
const SILENCE_MS = 60_000;
/** So long the run may need to start another one. */
const NEW_GUARD_MS = 30_000;

/** Talks to the freeze's guard, which alone touches budgets. Without a guard (the freeze was skipped) there is nothing to pace. */
export class FreezeControl {
  readonly #phase: Phase;
  readonly #guard: string | undefined;
  readonly #patienceMs: number;
  #nodes: string | undefined;
  #settled = false;
  #problem: string | undefined;
  /** Counts the guards that came in the place of one that has died: they know nothing of what that one was asked. */
  #guards = 0;
  #turn: Promise<unknown> = Promise.resolve();
  /** Told when another guard has taken the place of one that has died: drift is frozen then. */
  onNewGuard: (() => void) | undefined;

  constructor(phase: Phase) {
    this.#phase = phase;
    this.#guard = phase.input.freezeGuard;
    this.#patienceMs = phase.timing.apiTransientMs + 10 * 60_000;
    const heard = new Heard();
    setHandler(freezeChanged, (changed) => {
      if (!heard.isNew(freezeChanged, changed)) return;
      const { nodes, settled, problem, restarted } = changed;
      if (restarted === true) return this.#renew();
      if (nodes !== undefined) this.#nodes = nodes;
      if (settled === true) this.#settled = true;
      this.#problem = problem;
    });
  }

  /** false: there is no freeze, or none any more. One pace after the other: the guard answers in turn. */
  pace(nodes: string): Promise<boolean> {
    const turn = this.#turn.then(() => this.#pace(nodes));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #pace(nodes: string): Promise<boolean> {
    if (this.#guard === undefined) return false;
    this.#nodes = undefined;
    this.#problem = undefined;
    // A guard that has lifted the freeze meanwhile answers nobody either.
    const isAnswered = (): boolean => this.#nodes === nodes || this.#settled;
    const replyTo = workflowInfo().workflowId;
    const end = await this.#ask(setDriftPace, { nodes, replyTo }, isAnswered, `Wait until budgets say ${nodes}`);
    if (end === 'dead' && nodes === '0') return await this.#stopAlone();
    if (end !== 'answered')
      throw phaseFailed(`Setting the drift budget to ${nodes}: the freeze's guard does not answer; look at its workflow in Temporal UI`);
    const refused = this.#refusal();
    if (refused !== undefined) throw phaseFailed(`Setting the drift budget to ${nodes}: ${refused}`);
    return !this.#settled;
  }

  #refusal(): string | undefined {
    return this.#problem;
  }

  async lift(reason: string): Promise<void> {
    if (this.#guard === undefined) return;
    const replyTo = workflowInfo().workflowId;
    const end = await this.#ask(
      settleFreeze,
      { reason, lift: true, replyTo },
      () => this.#settled,
      'Wait until the freeze is lifted',
      true,
    );
    if (end === 'dead') throw phaseFailed('Lifting the freeze: its guard has died; look at its workflow in Temporal UI');
  }

  /** Sends it, once more to each guard that comes in another's place, and waits for the answer. */
  async #ask<T extends object>(
    signal: SignalDefinition<[T]>,
    message: T,
    isAnswered: () => boolean,
    summary: string,
    forEver = false,
  ): Promise<'answered' | 'dead' | 'silent'> {
    const guard = this.#guard ?? '';
    const giveUpAtMs = Date.now() + this.#patienceMs;
    for (let asked = -1; ; ) {
      if (asked !== this.#guards) {
        asked = this.#guards;
        const isThere = await getExternalWorkflowHandle(guard)
          .signal(signal, stamped(signal, message))
          .then(
            () => true,
            () => false,
          );
        if (!isThere && !(await this.#anotherGuard(asked))) return 'dead';
      }
      if (await condition(() => isAnswered() || asked !== this.#guards, SILENCE_MS, { summary })) {
        if (isAnswered()) return 'answered';
      } else if (!(await isAlive(guard)) && !(await this.#anotherGuard(asked))) return 'dead';
      else if (!forEver && Date.now() >= giveUpAtMs) return 'silent';
    }
  }

  /** The run starts another one where it lives; one that is gone leaves nobody to do that. */
  async #anotherGuard(asked: number): Promise<boolean> {
    const isNew = (): boolean => asked !== this.#guards;
    if (!this.#phase.isOrphan)
      await condition(() => isNew() || this.#phase.isOrphan, NEW_GUARD_MS, { summary: 'Wait for another guard of the freeze' });
    return isNew();
  }

  #renew(): void {
    this.#guards += 1;
    this.onNewGuard?.();
  }

  /** Nobody is left who holds the budgets: then the step does it itself, rather than let nodes be replaced. */
  async #stopAlone(): Promise<boolean> {
    const { activities, cluster, input } = this.#phase;
    const { karpenter } = input.policy;
    let problem: string | undefined;
    try {
      const state = await activities.quick.setDriftPace.executeWithOptions({ summary: 'Freeze drift without a guard' }, [
        {
          cluster,
          nodes: '0',
          reasons: karpenter.freezeReasons,
          ...defined({ onlyPools: input.freezePools }),
          ...(input.freezeMeans === undefined ? {} : { means: input.freezeMeans, guard: this.#guard }),
        },
      ]);
      if (!state.intact) problem = `budgets of ${state.reverted.join(', ') || 'some NodePools'} do not say so`;
    } catch (error) {
      problem = asPhaseFailure('setting the budgets', error).message;
    }
    if (problem !== undefined) throw phaseFailed(`Setting the drift budget to 0: the freeze's guard is gone, and ${problem}`);
    this.#phase.announcer.note(freezeGuardGone());
    return true;
  }
}
