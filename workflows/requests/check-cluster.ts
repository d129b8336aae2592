/** A readiness check that people ask for in Slack. Its id allows one per cluster at a time; its result is what a later one is compared with. */
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { CheckResult, CheckView, MessageRef } from '../../domain/run/notifications.ts';
import { headlineOf, type ReadinessSummary } from '../../domain/readiness/summary.ts';
import { checkWordsActivities, configActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import type { CheckInput } from '../contract/messages.ts';
import { messageOf } from '../runtime/root-cause.ts';

export async function checkCluster(input: CheckInput): Promise<ReadinessSummary> {
  const thread = await tell(input, { kind: 'running' });
  const result = await check(input, thread).catch(async (error: unknown) => {
    await tell(input, { kind: 'failed', why: messageOf(error) }, thread);
    throw error;
  });
  const headline = headlineOf(result.summary);
  setCurrentDetails(detailsOf(headline));
  await tell(input, { kind: 'done', ...result, summary: headline }, thread);
  return result.summary;
}

async function check({ cluster, target, before }: CheckInput, thread: MessageRef | undefined): Promise<CheckResult> {
  const policy = await configActivities.loadPolicy({ cluster });
  const { survey } = phaseActivities(policy.timing);
  return survey.checkReadiness.executeWithOptions({ summary: `Check ${cluster.name} for ${target}` }, [
    { cluster, target, policy, thread, before },
  ]);
}

/** The root of the check's thread: posted once, edited in place. Where it is; undefined without Slack, or where nobody is to be told. */
async function tell(input: CheckInput, progress: CheckView['progress'], known?: MessageRef): Promise<MessageRef | undefined> {
  const { workflowId, runId, startTime } = workflowInfo();
  const { cluster, target, requestedBy, channel } = input;
  if (channel === undefined) return undefined;
  const check: CheckView = { cluster, target, requestedBy, startedAt: startTime.toISOString(), progress };
  const [delivery] = await checkWordsActivities.publish.executeWithOptions({ summary: `Tell Slack: the check is ${progress.kind}` }, [
    { upgrade: { workflowId, runId }, channel, messages: [{ key: 'board', notification: { kind: 'check', check }, known }] },
  ]);
  return delivery?.ref;
}

function detailsOf({ cluster, from, target, verdict, counts, open }: ReadinessSummary): string {
  const { required, recommended, unknown } = counts;
  return [
    `**${cluster.name} ${from} → ${target}**: ${verdict}. ${required} required, ${recommended} recommended, ${unknown} unknown.`,
    open.map(({ code, status, message }) => `- ${code} (${status}): ${message}`).join('\n'),
  ].join('\n\n');
}
