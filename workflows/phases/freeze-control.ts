/** A step's way to the freeze's guard. */
import { condition, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { freezeChanged, setDriftPace, settleFreeze } from '../messages.ts';
import { phaseFailed } from '../phase.ts';

/** Talks to the freeze's guard, which alone touches budgets. Without a guard (the freeze was skipped) there is nothing to pace. */
export class FreezeControl {
  readonly #guard: string | undefined;
  /** A guard that has died answers nobody. */
  readonly #patienceMs: number;
  #nodes: string | undefined;
  #settled = false;
  #problem: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(guard: string | undefined, weatherMs: number) {
    this.#guard = guard;
    this.#patienceMs = weatherMs + 10 * 60_000;
    setHandler(freezeChanged, ({ nodes, settled, problem }) => {
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
    await getExternalWorkflowHandle(this.#guard).signal(setDriftPace, { nodes, replyTo: workflowInfo().workflowId });
    // A guard that has lifted the freeze meanwhile answers nobody either.
    const answered = await condition(() => this.#nodes === nodes || this.#settled, this.#patienceMs, {
      summary: `Wait until budgets say ${nodes}`,
    });
    if (this.#settled) return false;
    if (!answered)
      throw phaseFailed(`Setting the drift budget to ${nodes}: the freeze's guard does not answer; look at its workflow in Temporal UI`);
    if (this.#problem !== undefined) throw phaseFailed(`Setting the drift budget to ${nodes}: ${this.#problem}`);
    return true;
  }

  async lift(reason: string): Promise<void> {
    if (this.#guard === undefined) return;
    await getExternalWorkflowHandle(this.#guard).signal(settleFreeze, { reason, lift: true, replyTo: workflowInfo().workflowId });
    await condition(() => this.#settled);
  }
}
