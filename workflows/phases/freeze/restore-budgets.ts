/** The end of a freeze: budgets exactly as before, and what could not be restored said loudly. */
import { budgetsChangedByOthers, budgetsNotRestored, freezeLifted } from '../../messages/karpenter/freeze.ts';
import type { Phase } from '../base/phase.ts';
import { asPhaseFailure } from '../../runtime/phase-failure.ts';

/** One sentence: what is true now. */
export async function restoreBudgets(phase: Phase, reason: string): Promise<string> {
  let result: Awaited<ReturnType<Phase['activities']['owed']['restoreBudgets']>>;
  try {
    result = await phase.activities.owed.restoreBudgets.executeWithOptions({ summary: 'Restore the budgets exactly' }, [
      { cluster: phase.cluster },
    ]);
  } catch (error) {
    result = { restored: [], changedByOthers: [], failed: [{ pool: 'all NodePools', why: asPhaseFailure('restoring', error).message }] };
  }
  if (result.changedByOthers.length > 0) {
    phase.announcer.note(budgetsChangedByOthers(result.changedByOthers));
  }
  if (result.failed.length > 0) {
    const text = result.failed.map((f) => `${f.pool}: ${f.why}`).join('; ');
    phase.announcer.note(budgetsNotRestored(text));
    phase.tell({ freeze: { state: 'not-restored', note: text } });
    return `budgets not restored: ${text}`;
  }
  phase.tell({ freeze: { state: 'lifted', note: reason } });
  // Where every node was let go in its turn nothing is left to restore.
  phase.announcer.note(freezeLifted(reason, result.restored));
  const pools = result.restored.join(', ');
  return pools === '' ? 'nothing was left to restore' : `budgets restored on ${pools}`;
}
