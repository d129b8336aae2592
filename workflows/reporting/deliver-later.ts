/** Delivers what a run could not tell before it ended because Slack was down: the run itself must not go on holding the cluster's lock. */
import { isCancellation, ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { DeliverInput } from '../../domain/run/events/event.ts';
import type { PublishManyInput } from '../../domain/run/notifications.ts';
import { lateDeliveryActivities } from '../runtime/activity-proxies.ts';
import type { Pending } from './announcer.ts';
import { AT_ONCE, summaryOf } from './event-queue.ts';
import { lastEventsWorkflowId, lastWordsWorkflowId } from '../contract/ids.ts';
import { lateEventActivities } from '../runtime/delivery-proxies.ts';
import { agree, count } from '../../domain/core/text.ts';

/** Tries for days; then Temporal shows it as failed, and the record has everything that was not told. */
export async function tellLater(input: PublishManyInput & { events?: DeliverInput[] }): Promise<void> {
  const { events, ...messages } = input;
  if (events !== undefined) return void (await Promise.all(events.map(tellElsewhere)));
  await lateDeliveryActivities.publish.executeWithOptions(
    { summary: `Tell Slack: ${messages.messages.map(({ key }) => key).join(', ')}` },
    [messages],
  );
}

/** To one receiver, which the others do not wait for. What was taken is not sent again; what fails for good ends it, and Temporal shows that. */
async function tellElsewhere({ delivery, upgrade, events }: DeliverInput): Promise<void> {
  const { deliverEvents } = lateEventActivities[delivery.kind];
  for (let left = events; left.length > 0; ) {
    const input = { delivery, upgrade, events: left.slice(0, AT_ONCE[delivery.kind]) };
    const done = await deliverEvents.executeWithOptions({ summary: summaryOf(input) }, [input]).catch((error: unknown) => {
      // Of a mail it is not known whether it has arrived: the next one is sent all the same.
      if (delivery.kind !== 'email' || isCancellation(error)) throw error;
      return input.events;
    });
    const keys = new Set(done.map(({ key }) => key));
    left = left.filter(({ key }) => !keys.has(key));
  }
}

/** As deliverLater, for all receivers beside Slack. `part`: of a workflow that does so several times. */
export async function deliverEventsLater(left: readonly DeliverInput[], part?: string): Promise<void> {
  const [first] = left;
  if (first === undefined) return;
  const { workflowId, runId } = workflowInfo();
  await startChild<typeof tellLater>('tellLater', {
    workflowId: `${lastEventsWorkflowId(workflowId, runId)}${part === undefined ? '' : `/${part}`}`,
    args: [{ upgrade: first.upgrade, channel: '', messages: [], events: [...left] }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: `What is left to tell ${left.map(({ delivery }) => delivery.name).join(', ')}`,
    staticDetails: 'They could not be reached when the run ended. What is left is delivered when they answer again.',
  });
}

/** Outlives its parent. Does nothing where nothing is left. `part`: as deliverEventsLater. */
export async function deliverLater(to: Omit<PublishManyInput, 'messages'>, left: readonly Pending[], part?: string): Promise<void> {
  if (left.length === 0) return;
  const { workflowId, runId } = workflowInfo();
  // A workflow that tells of several things has a thread for each, and last words for each.
  const about = to.upgrade.workflowId.startsWith(`${workflowId}/`) ? to.upgrade.workflowId : workflowId;
  await startChild<typeof tellLater>('tellLater', {
    workflowId: `${lastWordsWorkflowId(about, runId)}${part === undefined ? '' : `/${part}`}`,
    args: [{ ...to, messages: [...left] }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: 'What is left to tell in Slack',
    staticDetails: `Slack could not be reached when the run ended. ${count(left.length, 'message')} ${agree(left.length, 'is', 'are')} delivered when it answers again.`,
  });
}
