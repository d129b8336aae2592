/** The run whose steps can be undone one by one, as its record tells it. */
import { changesSomething, type PhaseId, phaseOf } from '../../core/phases.ts';
import type { UpgradeReport } from '../../run/record/status.ts';
import type { StepParams } from '../model/step-params.ts';
import type { PlannedStep, UpgradePlan } from '../model/types.ts';

/** Of a run's record, what the way back of a step is planned from. */
export interface RecordedRun {
  report: { status: Pick<UpgradeReport['status'], 'runId' | 'startedAt' | 'steps'> };
  plan: Pick<UpgradePlan, 'kind' | 'steps'>;
}

export interface LastRun {
  runId: string;
  /** ISO 8601 */
  startedAt: string;
  /** Steps that have begun, whatever became of them: what they left is read from the cluster. */
  begun: PlannedStep[];
}

/**
 * The newest upgrade that has begun to change something, with what a way back of the control plane has changed since: what is undone is undone to
 * the state before the upgrade. Runs that undid a step themselves are passed over. `records`: the newest first.
 */
export function lastRun(records: readonly RecordedRun[]): LastRun | undefined {
  let last: LastRun | undefined;
  for (const { report, plan } of records) {
    if (plan.kind === 'undo') continue;
    const { runId, startedAt, steps } = report.status;
    const begun = plan.steps.filter(({ id }) => steps.some((view) => view.id === id && view.startedAt !== undefined));
    if (!begun.some(({ id }) => changes(id))) continue;
    last = { runId, startedAt, begun: [...begun, ...(last?.begun ?? [])] };
    if (plan.kind !== 'back') return last;
  }
  return last;
}

function changes(id: string): boolean {
  const phase = phaseOf(id);
  return phase !== undefined && changesSomething(phase);
}

/** What steps have changed one after the other, by name: how the run found it, and what it was brought to on the way. */
export function changedBy(
  changes: readonly { name: string; from: string; to: string }[],
): Map<string, { before: string; reached: string[] }> {
  const changed = new Map<string, { before: string; reached: string[] }>();
  for (const { name, from, to } of changes) {
    const { before, reached } = changed.get(name) ?? { before: from, reached: [] };
    changed.set(name, { before, reached: [...reached, to] });
  }
  return changed;
}

/** Parameters of the begun steps of these phases, in the order of the run. */
export function paramsIn<P extends PhaseId>(run: LastRun, phases: readonly P[]): Extract<StepParams, { phase: P }>[] {
  return run.begun.flatMap(({ params }) => (isOf(params, phases) ? [params] : []));
}

function isOf<P extends PhaseId>(params: StepParams, phases: readonly P[]): params is Extract<StepParams, { phase: P }> {
  return phases.some((phase) => phase === params.phase);
}
