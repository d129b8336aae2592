/** The parent's side of the freeze: starts the guard, knows whether it stands, and has it settled at the end. */
import { CancellationScope, condition, ParentClosePolicy, sleep, startChild, workflowInfo } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { PlannedStep } from '../domain/plan/types.ts';
import type { Timing } from '../domain/policy.ts';
import { freezeTakenOver, settleFreeze } from './messages.ts';
import { asPhaseFailure, type PhaseInput, type PhaseResult } from './phase.ts';
import { PHASE_WORKFLOWS } from './phases/index.ts';
import { tellIfAlive } from './tell-workflow.ts';
import type { UpgradeProgress } from './upgrade-state.ts';

/** Times that a run waits for an earlier run's guard to step aside. */
const TAKE_OVER_TRIES = 15;

export class FreezeHold {
  readonly #parentId: string;
  readonly #progress: UpgradeProgress;
  #guard: string | undefined;
  #ended: { summary?: string; error?: unknown } | undefined;

  constructor(parentId: string, progress: UpgradeProgress) {
    this.#parentId = parentId;
    this.#progress = progress;
  }

  /** Workflow id of the guard while it lives. */
  get guard(): string | undefined {
    return this.#ended === undefined ? this.#guard : undefined;
  }

  /** Done when every NodePool is frozen; the guard lives on. */
  async start(
    step: PlannedStep,
    input: PhaseInput,
    options: { workflowId: string; staticSummary: string; staticDetails: string },
  ): Promise<PhaseResult> {
    this.#ended = undefined;
    this.#progress.status.freeze = { state: 'none' };
    // An abort must not cut the guard off: the run settles the freeze at its end, and if it dies the close policy asks the guard to.
    const handle = await CancellationScope.nonCancellable(() => this.#startGuard(input, options));
    this.#guard = handle.workflowId;
    void handle.result.then(
      (result) => void (this.#ended = { summary: result.summary }),
      (error: unknown) => void (this.#ended = { error }),
    );
    await condition(() => this.#progress.status.freeze.state === 'frozen' || this.#ended !== undefined);
    const ended = this.#end();
    if (ended !== undefined) throw asPhaseFailure(step.title, ended.error ?? new Error(ended.summary ?? 'the guard ended at once'));
    return { summary: `Drift is frozen on ${this.#progress.status.freeze.note ?? 'all NodePools'}` };
  }

  #end(): { summary?: string; error?: unknown } | undefined {
    return this.#ended;
  }

  async #startGuard(
    input: PhaseInput,
    options: { workflowId: string; staticSummary: string; staticDetails: string },
  ): Promise<{ workflowId: string; result: Promise<PhaseResult> }> {
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
        await tellIfAlive(options.workflowId, freezeTakenOver, { by: workflowInfo().workflowId });
        await sleep(1000, { summary: "Wait for the earlier run's guard to hand over" });
      }
    }
  }

  /** Has the guard restore or keep, by what it sees; returns what went wrong, if anything. */
  async settle(reason: string, timing: Timing): Promise<string | undefined> {
    const guard = this.guard;
    const state = (): string => this.#progress.status.freeze.state;
    if (guard !== undefined && state() !== 'kept') {
      await tellIfAlive(guard, settleFreeze, { reason, lift: false, replyTo: this.#parentId });
      const settled = (): boolean => this.#ended !== undefined || state() === 'kept' || state() === 'not-restored';
      const inTime = await condition(settled, Math.max(60_000, timing.apiWeatherMs), { summary: 'Wait until the freeze is settled' });
      if (!inTime) return 'its guard has not settled it yet and goes on trying; look at its workflow in Temporal UI';
    }
    if (this.#ended?.error !== undefined) return `its guard failed: ${asPhaseFailure('Freeze', this.#ended.error).message}`;
    return state() === 'not-restored' ? (this.#progress.status.freeze.note ?? 'budgets could not be restored') : undefined;
  }
}
