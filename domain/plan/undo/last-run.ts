/** The run whose steps can be undone one by one, as its record tells it. */
import type { PhaseId } from '../../core/phases.ts';
import type { StepParams } from '../model/step-params.ts';
import type { PlannedStep } from '../model/types.ts';

export interface LastRun {
  runId: string;
  /** ISO 8601 */
  startedAt: string;
  /** Steps that have begun, whatever became of them: what they left is read from the cluster. */
  begun: PlannedStep[];
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
