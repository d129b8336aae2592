/** The end of a freeze: budgets exactly as before, and what could not be restored said loudly. */
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
    phase.announcer.note(
      `Budgets of ${result.changedByOthers.join(', ')} were changed by somebody else meanwhile: only Belay's own entry was removed. Please look at them.`,
      { level: 'alarm' },
    );
  }
  if (result.failed.length > 0) {
    const text = result.failed.map((f) => `${f.pool}: ${f.why}`).join('; ');
    phase.announcer.note(`ALARM: budgets could NOT be restored: ${text}. The before-image stands in annotation belay.dev/budgets-before.`, {
      level: 'alarm',
      broadcast: true,
    });
    phase.tell({ freeze: { state: 'not-restored', note: text } });
    return `budgets not restored: ${text}`;
  }
  phase.tell({ freeze: { state: 'lifted', note: reason } });
  const pools = result.restored.join(', ');
  // Where every node was let go in its turn nothing is left to restore.
  const now = pools === '' ? 'nothing of it was left' : `budgets are as before on ${pools}`;
  phase.announcer.note(`The freeze is lifted (${reason}); ${now}.`);
  return pools === '' ? 'nothing was left to restore' : `budgets restored on ${pools}`;
}
