/** Windows within a step: a wave begins where one is open for it, as the step did; the one under way is finished. */
import { USUAL_DURATIONS } from '../../../domain/plan/durations/defaults.ts';
import type { ExpectedDurations, Timing } from '../../../domain/policy/policy.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from './phase.ts';
import { WindowGate } from '../../gates/window-gate.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export interface WaveAsked {
  /** Of the gate: "1", "group-a". */
  detail: string;
  /** "zone eu-1b" */
  title: string;
  /** How long a window has to stay open, in milliseconds. */
  needMs: number;
  undo: string;
}

export class WaveWindow {
  readonly #phase: Phase;
  /** One after the other: groups that wait side by side are one question. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(phase: Phase) {
    this.#phase = phase;
  }

  /** false: nothing is to be waited for, not even an answer that is known. */
  get asks(): boolean {
    const { policy, windowWaived } = this.#phase.input;
    return policy.windows !== undefined && windowWaived !== true;
  }

  /** Resolves when the wave may begin. Throws where people end the run, or where nobody decides and no window opens. */
  async pass(asked: WaveAsked): Promise<void> {
    const turn = this.#turn.catch(() => undefined).then(() => this.#ask(asked));
    this.#turn = turn;
    await turn;
  }

  async #ask({ detail, title, needMs, undo }: WaveAsked): Promise<void> {
    const phase = this.#phase;
    const { step, round } = phase.input;
    const { gates, activities, target } = phase;
    const gate = new WindowGate({ gates, activities, target, say: (note) => phase.now(note) });
    const id = (each: number): string => gateId('window', step.id, (round - 1) * 100 + each, detail);
    const pass = await gate.pass({ phases: [step.phase], needMs, id, step: step.id, title, undo });
    if (pass.kind !== 'stopped') return;
    if (pass.state.kind === 'decided') return phase.abort(pass.state.decision, `${title} did not begin: ${pass.why}`);
    throw phaseFailed(`${title} did not begin: ${pass.why}, and nobody decided in time`);
  }
}

/** How long it usually takes on this cluster. */
export function usually(timing: Timing, what: keyof ExpectedDurations): number {
  return timing.expected?.[what] ?? USUAL_DURATIONS[what];
}
