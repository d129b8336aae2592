/** Starts a readiness check, one per cluster at a time, and finds the earlier one that it is compared with. */
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import type { ReadinessSummary } from '../domain/readiness/summary.ts';
import { checkWorkflowId } from '../workflows/contract/ids.ts';
import { type CheckInput, WORKFLOWS } from '../workflows/contract/messages.ts';
import { FIRST_TASK_MS, refuseWithoutWorker, rootMessage, SERVER_LIMIT_MS, translate, within } from './temporal-calls.ts';
import { searchAttributes, withKnownAttributes } from './start-attributes.ts';
import { fromVisibility } from './status.ts';
import { type CheckRequest, type StartedCheck, UpgradesError, type UpgradesSettings } from './contract.ts';
import { actorName } from '../domain/gates/actor.ts';
import { detailsOf, prepare } from './prepare-request.ts';
import { checkFailed } from './messages.ts';

/** Reading a cluster takes a minute or two; where no worker has come within this time, nobody waits for the answer any more. */
const CHECK_LIMIT_MS = 60 * 60_000;

export async function startCheck(client: Client, settings: UpgradesSettings, request: CheckRequest): Promise<StartedCheck> {
  const { input, taskQueue } = prepare(settings, request);
  const { cluster, target, requestedBy } = input;
  const workflowId = checkWorkflowId(cluster);
  try {
    const before = await earlierCheck(client, workflowId, target, request.since);
    const check: CheckInput = { cluster, target, requestedBy, channel: request.channel, before };
    const handle = await withKnownAttributes(searchAttributes(input, settings.environmentOf?.(request.cluster)), (typedSearchAttributes) =>
      within(client, SERVER_LIMIT_MS, () =>
        client.workflow.start<(input: CheckInput) => Promise<ReadinessSummary>>(WORKFLOWS.check, {
          workflowId,
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowExecutionTimeout: CHECK_LIMIT_MS,
          taskQueue,
          args: [check],
          staticSummary: `Check whether ${cluster.name} is ready for ${target}`,
          staticDetails: detailsOf(input, 'Reads the cluster and tells in Slack what stands in the way of an upgrade. Changes nothing.'),
          typedSearchAttributes,
        }),
      ),
    );
    const limitMs = Math.min(settings.planWithinMs ?? FIRST_TASK_MS, FIRST_TASK_MS);
    await untilBegun(client, { workflowId, runId: handle.firstExecutionRunId, taskQueue, limitMs });
    return { kind: 'started', workflowId, runId: handle.firstExecutionRunId, target, requestedBy: actorName(requestedBy) };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return await runningCheck(client, workflowId, taskQueue);
    throw translate(client, error);
  }
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

/** Waits until a worker has begun, or the check has ended. What it finds later is told in its message. */
async function untilBegun(
  client: Client,
  { workflowId, runId, taskQueue, limitMs }: { workflowId: string; runId: string; taskQueue: string; limitMs: number },
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    await within(client, limitMs, () => handle.result());
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw new UpgradesError('failed', checkFailed(rootMessage(error)), { cause: error });
    await refuseWithoutWorker(client, await within(client, SERVER_LIMIT_MS, () => handle.describe()), taskQueue);
  }
}

async function runningCheck(client: Client, workflowId: string, taskQueue: string): Promise<StartedCheck> {
  try {
    const description = await within(client, SERVER_LIMIT_MS, () => client.workflow.getHandle(workflowId).describe());
    await refuseWithoutWorker(client, description, taskQueue);
    const { runId, target = 'another version', requestedBy = 'somebody' } = fromVisibility(description);
    return { kind: 'running', workflowId, runId, target, requestedBy };
  } catch (error) {
    throw translate(client, error);
  }
}
