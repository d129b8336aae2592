/** What a run would have to come back to, right before its first change. */
import { isCancellation } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { phaseActivities } from '../runtime/activity-proxies.ts';
import type { Note } from '../messages/note.ts';
import { rollbackPointMissing } from '../messages/run.ts';
import { messageOf } from '../runtime/root-cause.ts';

/** undefined: it could not be captured, and the thread says so. */
export async function captureRollbackPoint(
  input: Parameters<BelayActivities['captureRollbackPoint']>[0],
  tell: (note: Note) => void,
): Promise<UpgradeReport['rollbackPoint']> {
  const { survey } = phaseActivities(input.policy.timing);
  try {
    return await survey.captureRollbackPoint.executeWithOptions({ summary: 'Save the state for a rollback' }, [input]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    tell(rollbackPointMissing(messageOf(error)));
    return undefined;
  }
}
