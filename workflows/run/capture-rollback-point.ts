/** What a run would have to come back to, right before its first change. */
import { isCancellation } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { phaseActivities } from '../runtime/activity-proxies.ts';
import { messageOf } from '../runtime/root-cause.ts';

/** undefined: it could not be captured, and people have been told. */
export async function captureRollbackPoint(
  input: Parameters<BelayActivities['captureRollbackPoint']>[0],
  warn: (text: string) => void,
): Promise<UpgradeReport['rollbackPoint']> {
  const { survey } = phaseActivities(input.policy.timing);
  try {
    return await survey.captureRollbackPoint.executeWithOptions({ summary: 'Capture what a way back would come to' }, [input]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    warn(
      `What the cluster is like before the first change could not be written down: ${messageOf(error)} Steps can still be undone by the plan's record.`,
    );
    return undefined;
  }
}
