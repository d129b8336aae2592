/** A forecast that people ask for in Slack. Its id allows one per cluster at a time; what it found is told where it was asked for. */
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { capital } from '../../domain/core/text.ts';
import type { ForecastOutcome, ForecastView, MessageRef } from '../../domain/run/notifications.ts';
import { checkWordsActivities, configActivities, forecastActivities } from '../runtime/activity-proxies.ts';
import type { ForecastInput } from '../contract/messages.ts';
import { forecastDetailsOf } from '../messages/plan.ts';
import { messageOf } from '../runtime/root-cause.ts';

export async function forecastCluster(input: ForecastInput): Promise<ForecastOutcome> {
  const thread = await tell(input, { kind: 'running' });
  const outcome = await forecast(input, thread).catch(async (error: unknown) => {
    await tell(input, { kind: 'failed', why: capital(messageOf(error)) }, thread);
    throw error;
  });
  setCurrentDetails(forecastDetailsOf(input.cluster.name, input.target, outcome));
  await tell(input, outcome, thread);
  return outcome;
}

async function forecast({ cluster, target, strategy }: ForecastInput, thread: MessageRef | undefined): Promise<ForecastOutcome> {
  const policy = await configActivities.loadPolicy({ cluster });
  return forecastActivities.forecastUpgrade.executeWithOptions({ summary: `Rehearse ${cluster.name} → ${target} on a snapshot` }, [
    { cluster, target, strategy: strategy ?? policy.strategy, policy, thread },
  ]);
}

/** The root of the forecast's thread: posted once, edited in place. Where it is; undefined without Slack. */
async function tell(input: ForecastInput, progress: ForecastView['progress'], known?: MessageRef): Promise<MessageRef | undefined> {
  const { workflowId, runId, startTime } = workflowInfo();
  const { cluster, target, requestedBy, channel } = input;
  const view: ForecastView = { cluster, target, requestedBy, startedAt: startTime.toISOString(), progress };
  const [delivery] = await checkWordsActivities.publish.executeWithOptions({ summary: `Tell Slack: the forecast is ${progress.kind}` }, [
    { upgrade: { workflowId, runId }, channel, messages: [{ key: 'board', notification: { kind: 'forecast', forecast: view }, known }] },
  ]);
  return delivery?.ref;
}
