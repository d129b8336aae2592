/**
 * On which task queue an activity is done. What touches a cluster that only workers of a network reach goes to that network's queue; what needs no
 * cluster stays on the workflows' own. By the cluster in the activity's input alone, which is in history: a replay decides the same.
 */
import { ActivityFailure, TimeoutFailure, TimeoutType } from '@temporalio/common';
import type { WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { field, isRecord } from '../../domain/core/unknown.ts';
import { networkQueue } from '../contract/ids.ts';
import { WORKFLOWS } from '../contract/messages.ts';
import { notTaken } from '../messages/networks.ts';

/**
 * Policy, people, records and Slack, what asks Temporal, and the look at the queues: all that a worker of a network does not do. Everything else is about a
 * cluster.
 */
export const CENTRAL: readonly string[] = [
  'appendAudit',
  'appendRefusals',
  'deliverEvents',
  'describeProposal',
  'examineWayBack',
  'findOpenRun',
  'findRing',
  'judgeProposals',
  'loadCampaign',
  'loadPolicy',
  'loadProposals',
  'lookAtMembers',
  'planCampaign',
  'publish',
  'readApprover',
  'startMember',
  'watchQueue',
  'writeRecord',
] satisfies (keyof BelayActivities)[];

/** What a worker of a network does: nothing else is registered there, so whoever schedules it gets no answer. */
export const activitiesOfClusters = (all: BelayActivities): Partial<BelayActivities> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !CENTRAL.includes(name)));

/**
 * Somebody, or clusters of other networks, wait for their result, so they say that nobody is there to make it. Runs and guards wait for as long as it takes,
 * and their run says so.
 */
const ANSWERING: readonly string[] = [
  WORKFLOWS.campaign,
  WORKFLOWS.campaignPlan,
  WORKFLOWS.check,
  WORKFLOWS.forecast,
  WORKFLOWS.plan,
  WORKFLOWS.proposals,
  WORKFLOWS.reconcile,
  WORKFLOWS.ringRollbackPlan,
  WORKFLOWS.undoList,
  WORKFLOWS.versions,
];
/** Less than clients wait for an answer. */
export const ANSWER_MS = 15_000;

/** Of the cluster, or the clusters, that an activity's input names; several are of one network. */
function networkIn(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const { cluster, clusters } = input;
  const network = field(Array.isArray(clusters) ? clusters[0] : cluster, 'network');
  return typeof network === 'string' && network !== '' ? network : undefined;
}

/** The queue of the network that the activity is for; undefined: the workflow's own. */
export function queueFor(activityType: string, [input]: readonly unknown[]): string | undefined {
  const network = CENTRAL.includes(activityType) ? undefined : networkIn(input);
  return network === undefined ? undefined : networkQueue(network);
}

/** Where no network is meant, exactly what comes next: another turn of promises would be another history. */
export const inPlace = (workflowType: string): Required<Pick<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>> => ({
  scheduleActivity: (input, next) => {
    const taskQueue = queueFor(input.activityType, input.args);
    if (taskQueue === undefined) return next(input);
    const answering = ANSWERING.includes(workflowType) ? { scheduleToStartTimeout: ANSWER_MS } : {};
    return next({ ...input, options: { ...input.options, taskQueue, ...answering } }).catch((error: unknown) => {
      throw isUntaken(error) ? nobodyTook(taskQueue, workflowType, error) : error;
    });
  },
});

/** Nobody polls the queue of the network that the activity is for. */
export const isUntaken = (error: unknown): error is ActivityFailure =>
  error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && error.cause.timeoutType === TimeoutType.SCHEDULE_TO_START;

/** Still Temporal's own time-out, which nobody but its server can make. */
function nobodyTook(
  queue: string,
  workflowType: string,
  { message, activityType, activityId, retryState, identity }: ActivityFailure,
): ActivityFailure {
  const said = notTaken(queue, ANSWER_MS / 1_000, workflowType === WORKFLOWS.campaign ? 'by itself' : undefined);
  const cause = new TimeoutFailure(said, undefined, TimeoutType.SCHEDULE_TO_START);
  return new ActivityFailure(message, activityType, activityId, retryState, identity, cause);
}
