/** What all steps of a migration share: a look at the list, gates with ids of their own, waits for a line of the list, failures that name the way back. */
import { workflowInfo } from '@temporalio/workflow';
import type { MigrationLook } from '../../../activities/contract/karpenter-migration.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { MigrationStep, MigrationStepId } from '../../../domain/plan/migration/checklist.ts';
import type { Step } from '../../../domain/plan/migration/names.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import type { RollbackPoint } from '../../../domain/plan/model/types.ts';
import type { ApplicationFailure } from '@temporalio/common';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import type { GateText, Note } from '../../messages/note.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export type MigrationParams = Extract<StepParams, { phase: 'karpenter-migration' }>;

/** Part of a gate's id. */
type About = 'begin' | 'v1' | 'drift' | 'nodes' | 'workloads' | 'leave-v1alpha5';

export class MigrationWalk {
  readonly phase: Phase;
  readonly params: MigrationParams;
  /** NodeClaims that were marked for replacement before anything was changed. */
  driftedBefore: number | undefined;
  /** The migration is approved. */
  begun = false;
  /** What is frozen, in words; absent: nothing was tried. */
  hold: string | undefined;
  readonly #asked = new Map<About, number>();

  constructor(phase: Phase, params: MigrationParams) {
    this.phase = phase;
    this.params = params;
  }

  get rollback(): RollbackPoint {
    return this.phase.input.step.rollback;
  }

  /** Whose hold it is: the same over retries of the step. */
  get guard(): string {
    return workflowInfo().workflowId;
  }

  async look(leg: Step): Promise<MigrationLook> {
    const look = await this.phase.activities.survey.readKarpenterMigration.executeWithOptions(
      { summary: `How far is Karpenter on its way to ${leg}?` },
      [{ cluster: this.phase.cluster, step: leg }],
    );
    this.driftedBefore ??= look.driftedCount;
    return look;
  }

  /** The choice; throws where nobody decided, and for `reject`. */
  async ask(about: About, text: GateText): Promise<string> {
    const round = (this.#asked.get(about) ?? 0) + 1;
    this.#asked.set(about, round);
    const { id: step } = this.phase.input.step;
    const state = await this.phase.gates.ask({
      ...text,
      id: gateId('change', step, (this.phase.input.round - 1) * 100 + round, about),
      step,
    });
    if (state.kind !== 'decided') throw this.failed(`${text.title} Nobody decided in time`);
    const { choice } = state.decision;
    if (choice === 'reject') throw this.failed(`${text.title} It was rejected`);
    return choice;
  }

  /** Waits for a line of the list; throws with what was seen last when it does not come. */
  async until(
    leg: Step,
    until: MigrationStepId,
    { asked, doing, orBroken }: { asked: boolean; doing: string; orBroken?: boolean },
  ): Promise<void> {
    const ended = await this.wait(leg, until, asked ? this.phase.timing.askTimeoutMs : this.phase.timing.rolloutTimeoutMs, orBroken);
    if (!ended.timedOut) return;
    const { seen, fix } = ended;
    throw this.failed(`${doing}: ${seen}`, fix === undefined ? [] : [{ title: 'What to do', lines: [fix] }]);
  }

  async wait(leg: Step, until: MigrationStepId, timeoutMs: number, orBroken = false) {
    return await this.phase.activities.watch.awaitKarpenterMigration.executeWithOptions({ summary: `Wait for "${until}"` }, [
      { ...this.phase.target, step: leg, until, timeoutMs, ...(orBroken ? { orBroken } : {}) },
    ]);
  }

  failed(message: string, evidence: GateEvidence[] = []): ApplicationFailure {
    const { what, how, until } = this.rollback;
    return phaseFailed(message, [...evidence, { title: 'Rollback', lines: [`${what}: ${how}`, `Possible until: ${until}`] }]);
  }

  say(note: Note): void {
    this.phase.announcer.note(note);
  }
}

export function stepOf({ steps }: MigrationLook, id: MigrationStepId): MigrationStep | undefined {
  return steps.find((step) => step.id === id);
}

/** Somebody else acts: as long as Belay waits for people. */
export const isAsked = ({ params: { delivery } }: MigrationWalk): boolean =>
  delivery === undefined || (delivery.kind === 'gitops' && delivery.charts.some(({ owner }) => owner !== undefined));

export const isDone = (look: MigrationLook, id: MigrationStepId): boolean => stepOf(look, id)?.state === 'done';
