/** The newest recorded run of a cluster, and what it changed. */
import type { UpgradeReport } from './status.ts';
import type { UpgradePlan } from '../../plan/model/types.ts';
import { changesSomething, phaseOf } from '../../core/phases.ts';
import type { LastRun } from '../../plan/undo/last-run.ts';

/** Of a run's record, what the way back of a step is planned from. */
export interface RecordedRun {
  report: { status: Pick<UpgradeReport['status'], 'runId' | 'startedAt' | 'steps'> };
  plan: Pick<UpgradePlan, 'kind' | 'steps'>;
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

export function changes(id: string): boolean {
  const phase = phaseOf(id);
  return phase !== undefined && changesSomething(phase);
}
