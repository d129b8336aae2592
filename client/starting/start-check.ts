/** Starts a readiness check, one per cluster at a time, and finds the earlier one that it is compared with. */
import type { Client } from '@temporalio/client';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import { checkWorkflowId } from '../../workflows/contract/ids.ts';
import { type CheckInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import type { CheckRequest, StartedCheck, UpgradesSettings } from '../calls/contract.ts';
import { checkFailed } from '../calls/messages.ts';
import { prepare } from './prepare-request.ts';
import { startTold } from './start-told.ts';
import { SERVER_LIMIT_MS, within } from '../calls/temporal-calls.ts';

/** Reading a cluster takes a minute or two. */
const CHECK_LIMIT_MS = 60 * 60_000;

export async function startCheck(client: Client, settings: UpgradesSettings, request: CheckRequest): Promise<StartedCheck> {
  const prepared = prepare(settings, request);
  const { cluster, target, requestedBy } = prepared.input;
  const workflowId = checkWorkflowId(cluster);
  const before = await earlierCheck(client, workflowId, target, request.since);
  return await startTold<CheckInput>(client, settings, prepared, {
    workflowId,
    type: WORKFLOWS.check,
    args: { cluster, target, requestedBy, channel: request.channel, before },
    limitMs: CHECK_LIMIT_MS,
    summary: `Check whether ${cluster.name} is ready for ${target}`,
    does: 'Reads the cluster and reports in Slack what blocks an upgrade. Changes nothing.',
    failed: checkFailed,
  });
}

/** The one of the given run, else the cluster's last; undefined where it is forgotten, has not ended well or was for another version. */
async function earlierCheck(
  client: Client,
  workflowId: string,
  target: string,
  runId: string | undefined,
): Promise<ReadinessSummary | undefined> {
  try {
    const handle = client.workflow.getHandle<() => Promise<ReadinessSummary>>(workflowId, runId, { followRuns: false });
    // One whose message has the button is done but for its last task, so it is waited for; any other that runs is not.
    if (runId === undefined && (await within(client, SERVER_LIMIT_MS, () => handle.describe())).status.name === 'RUNNING') return undefined;
    const summary = await within(client, SERVER_LIMIT_MS, () => handle.result());
    return summary.target === target ? summary : undefined;
  } catch {
    // A check without a comparison is better than none; where Temporal is away, the start says so.
    return undefined;
  }
}
