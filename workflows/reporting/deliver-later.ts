/** Delivers what a run could not tell before it ended because Slack was down: the run itself must not go on holding the cluster's lock. */
import { ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { PublishManyInput } from '../../domain/run/notifications.ts';
import { lateDeliveryActivities } from '../runtime/activity-proxies.ts';
import type { Pending } from './announcer.ts';
import { lastWordsWorkflowId } from '../contract/ids.ts';

/** Tries for days; then Temporal shows it as failed, and the record has everything that was not told. */
export async function tellLater(input: PublishManyInput): Promise<void> {
  await lateDeliveryActivities.publish.executeWithOptions({ summary: `Tell Slack: ${input.messages.map(({ key }) => key).join(', ')}` }, [
    input,
  ]);
}

/** Outlives its parent. Does nothing where nothing is left. */
export async function deliverLater(to: Omit<PublishManyInput, 'messages'>, left: readonly Pending[]): Promise<void> {
  if (left.length === 0) return;
  const { workflowId, runId } = workflowInfo();
  // A workflow that tells of several things has a thread for each, and last words for each.
  const about = to.upgrade.workflowId.startsWith(`${workflowId}/`) ? to.upgrade.workflowId : workflowId;
  await startChild<typeof tellLater>('tellLater', {
    workflowId: lastWordsWorkflowId(about, runId),
    args: [{ ...to, messages: [...left] }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: 'What is left to tell in Slack',
    staticDetails: `Slack could not be reached when the run ended. ${left.length} messages are delivered when it answers again.`,
  });
}
