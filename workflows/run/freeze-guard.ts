/** The parent's side of the freeze: starts the guard, knows whether it stands, and has it settled at the end. */
import { CancellationScope, condition, ParentClosePolicy, sleep, startChild, workflowInfo } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { Timing } from '../../domain/policy/policy.ts';
import { runData } from '../../domain/run/events/data.ts';
import { stepWorkflowId } from '../contract/ids.ts';
import { freezeChanged, freezeTakenOver, settleFreeze } from '../contract/messages.ts';
import { PHASE_WORKFLOWS } from '../contract/phase-workflows.ts';
import {
  freezeGuardFailed,
  freezeGuardNotReplaced,
  freezeGuardReplaced,
  freezeGuardTookOver,
  freezeHolds,
  freezeNotRestored,
  freezeNotSettled,
} from '../messages/karpenter/freeze.ts';
import type { Note } from '../messages/note.ts';
import { type ChosenAbort, chosenAbort } from '../runtime/chosen-abort.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { signalIfRunning } from '../runtime/signal-if-running.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import { freezeOf, type PhaseInput, type PhaseResult } from '../contract/phase.ts';
import { asPhaseFailure } from '../runtime/phase-failure.ts';
import { defined } from '../../domain/core/defined.ts';

/** Times that a run waits for an earlier run's guard to step aside. */
const TAKE_OVER_TRIES = 15;

/** Guards that are started one after the other in the place of one that has died; a freeze that no guard outlives needs a decision. */
const RESTARTS = 3;

const PARTS = 6;

export interface GuardOptions {
  workflowId: string;
  staticSummary: string;
  staticDetails: string;
}

export class FreezeHold {
  readonly #parentId: string;
  readonly #progress: UpgradeProgress;
  #guard: string | undefined;
  #how: ReturnType<typeof freezeOf> = {};
  #ended: { summary?: string; error?: unknown } | undefined;
  /** A step has had it lifted. */
  #isLifted = false;
  /** Counts the guards: the end of one that came before is no news of this one. */
  #guardsCount = 0;
  /** The run itself has it end: that is no death. */
  #settling = false;
  /** One that died is being replaced, or cannot be. */
  #replacing: Promise<void> = Promise.resolve();
  #lost: string | undefined;
  /** How often nobody could guard it: tells its gates apart. */
  unguardedCount = 0;
  #again: (() => Promise<void>) | undefined;
  /** Told what people must know of the guard. */
  tell: (note: Note) => void = () => undefined;
  /** Ends the run. */
  abort: (chosen: ChosenAbort) => void = () => undefined;

  constructor(parentId: string, progress: UpgradeProgress) {
    this.#parentId = parentId;
    this.#progress = progress;
  }

  /** Workflow id of the guard while it holds a freeze: not of one that has lifted it and is about to end. */
  get guard(): string | undefined {
    return this.#isLifted ? undefined : this.#alive;
  }

  get #alive(): string | undefined {
    return this.#ended === undefined ? this.#guard : undefined;
  }

  /** A step has had the guard lift the freeze. Whoever was still given the guard would put the freeze back, and nobody would lift that. */
  lifted(): void {
    this.#isLifted = true;
  }

  /** For the steps after it. */
  get how(): ReturnType<typeof freezeOf> {
    return this.guard === undefined ? {} : this.#how;
  }

  /** Done when the NodePools are frozen; the guard lives on. */
  async start(step: PlannedStep, input: PhaseInput, options: GuardOptions): Promise<PhaseResult> {
    this.#how = freezeOf(input);
    await this.#begin(step, input, options);
    const { controlPlane } = this.#progress.status.freeze;
    const instead = controlPlane === undefined ? {} : { controlPlaneBefore: controlPlane };
    this.#again = () => this.#begin(step, { ...this.#anew(input), instead }, options);
    return { summary: freezeHolds(this.#progress.status.freeze.note) };
  }

  /** For the next guard: who asks for the run by now, and a round of its own, so that no gate and no message of its is taken for one of the guard before. */
  #anew(input: PhaseInput): PhaseInput {
    const { status } = this.#progress;
    const { requestedBy, formerly } = status;
    const run = input.run === undefined ? undefined : runData(status, status);
    return { ...input, requestedBy, ...defined({ formerly, run }), round: input.round + this.#guardsCount };
  }

  async #begin(step: PlannedStep, input: PhaseInput, options: GuardOptions): Promise<void> {
    this.#ended = undefined;
    this.#isLifted = false;
    this.#lost = undefined;
    this.#progress.status.freeze = { state: 'none' };
    // An abort must not cut the guard off: the run settles the freeze at its end, and if it dies the close policy asks the guard to.
    const handle = await CancellationScope.nonCancellable(() => this.#startGuard(input, options));
    this.#guard = handle.workflowId;
    this.#guardsCount += 1;
    const nth = this.#guardsCount;
    let stands = false;
    const ended = (end: { summary?: string; error?: unknown }): void => {
      if (nth !== this.#guardsCount) return;
      this.#ended = end;
      if (stands) this.#onEnd();
    };
    void handle.result.then(
      ({ summary, unasked }) => ended(unasked === true ? { error: new Error(summary) } : { summary }),
      (error: unknown) => ended({ error }),
    );
    await condition(() => this.#progress.status.freeze.state === 'frozen' || this.#ended !== undefined);
    const end = this.#end();
    if (chosenAbort(end?.error) !== undefined) throw end?.error;
    if (end !== undefined) throw asPhaseFailure(step.title, end.error ?? new Error(end.summary ?? 'the guard ended at once'));
    stands = true;
  }

  #end(): { summary?: string; error?: unknown } | undefined {
    return this.#ended;
  }

  /** A guard that was terminated, failed, or came to the end of its history leaves marked NodePools with nobody to hold them. */
  #onEnd(): void {
    this.#hearAbort(this.#ended?.error);
    if (this.#ended?.error === undefined || this.#settling || this.#isLifted) return;
    this.#replacing = CancellationScope.nonCancellable(() => this.#replace());
  }

  /** Chosen at a gate of the guard. True: it was. */
  #hearAbort(error: unknown): boolean {
    const chosen = chosenAbort(error);
    if (chosen !== undefined) this.abort(chosen);
    return chosen !== undefined;
  }

  /** The next guard adopts the NodePools by their marks, at 0; a step that paces the roll is told and sets its pace again. */
  async #replace(): Promise<void> {
    for (let tries = 1; tries <= RESTARTS && !this.#settling; tries += 1) {
      const why = messageOf(this.#ended?.error);
      this.tell(freezeGuardReplaced(why));
      try {
        await this.#again?.();
        this.tell(freezeGuardTookOver());
        await this.#tellStep();
        return;
      } catch (error) {
        this.#ended = { error };
        if (this.#hearAbort(error)) break;
        await sleep(tries * 1000, { summary: 'Before another guard is started' });
      }
    }
    this.#lost = messageOf(this.#ended?.error);
    this.unguardedCount += 1;
    this.tell(freezeGuardNotReplaced(this.#lost));
  }

  async #tellStep(): Promise<void> {
    const { steps, workflowId } = this.#progress.status;
    const running = steps.find(({ state }) => state === 'running' || state === 'waiting');
    if (running === undefined || running.id.startsWith('freeze-drift@')) return;
    await signalIfRunning(stepWorkflowId(workflowId, running.id), freezeChanged, { restarted: true });
  }

  /** Why nobody guards the freeze; undefined: somebody does, or there is none. Waits for a guard that is being replaced. */
  async lost(): Promise<string | undefined> {
    await this.#replacing;
    return this.#lost;
  }

  /** Retry was chosen. */
  async retry(): Promise<void> {
    if (this.#lost === undefined) return;
    this.#replacing = CancellationScope.nonCancellable(() => this.#replace());
    await this.#replacing;
  }

  /** Go anyway was chosen. */
  forget(): void {
    this.#lost = undefined;
  }

  async #startGuard(input: PhaseInput, options: GuardOptions): Promise<{ workflowId: string; result: Promise<PhaseResult> }> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const handle = await startChild<(input: PhaseInput) => Promise<PhaseResult>>(PHASE_WORKFLOWS['freeze-drift'], {
          ...options,
          args: [input],
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        });
        return { workflowId: handle.workflowId, result: handle.result() };
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError) || attempt === TAKE_OVER_TRIES) throw error;
        // The guard of an earlier run kept its freeze under this id: it hands over and ends.
        await signalIfRunning(options.workflowId, freezeTakenOver, { by: workflowInfo().workflowId });
        await sleep(1000, { summary: "Wait for the earlier run's guard to hand over" });
      }
    }
  }

  /** Has the guard restore or keep, by what it sees, and reads what has become of that; returns what went wrong, if anything. */
  async settle(reason: string, timing: Timing, look: () => Promise<string | undefined>): Promise<string | undefined> {
    this.#settling = true;
    await this.#replacing;
    const problem = await this.#settle(reason, timing);
    const { status } = this.#progress;
    if (problem !== undefined || this.#guard === undefined || status.freeze.state === 'kept') return problem;
    const left = await look();
    if (left !== undefined) status.freeze = { ...status.freeze, state: 'not-restored', note: left };
    return left;
  }

  async #settle(reason: string, timing: Timing): Promise<string | undefined> {
    const guard = this.#alive;
    const state = (): string => this.#progress.status.freeze.state;
    if (guard !== undefined && state() !== 'kept') {
      await signalIfRunning(guard, settleFreeze, { reason, lift: false, replyTo: this.#parentId });
      const settled = (): boolean => this.#ended !== undefined || state() === 'kept' || state() === 'not-restored';
      if (!(await untilSettled(settled, Math.max(60_000, timing.apiTransientMs)))) return freezeNotSettled();
    }
    const error = this.#ended?.error;
    const hasFailed = error !== undefined && !this.#isLifted && chosenAbort(error) === undefined;
    if (hasFailed) return freezeGuardFailed(asPhaseFailure('Freeze', error).message);
    return state() === 'not-restored' ? (this.#progress.status.freeze.note ?? freezeNotRestored()) : undefined;
  }
}

/** While no worker is there the guard does nothing either: timers run out meanwhile, so each absence costs one part of the time at most. */
async function untilSettled(settled: () => boolean, limitMs: number): Promise<boolean> {
  for (let part = 0; part < PARTS; part += 1)
    if (await condition(settled, limitMs / PARTS, { summary: 'Wait until the freeze is settled' })) return true;
  return false;
}
