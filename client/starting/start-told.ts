/** Starts a request whose result is told in Slack, one per cluster at a time: a readiness check, a forecast. */
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { actorName } from '../../domain/gates/actor.ts';
import type { UpgradeInput } from '../../workflows/contract/messages.ts';
import { type StartedCheck, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import { detailsOf, type Prepared } from './prepare-request.ts';
import { searchAttributes, withKnownAttributes } from './start-attributes.ts';
import { fromVisibility } from '../reading/status.ts';
import { FIRST_TASK_MS, refuseWithoutWorker, rootMessage, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';

export interface Told<Input> {
  workflowId: string;
  /** The workflow's type, by name. */
  type: string;
  args: Input;
  /** Where no worker has come within this time, nobody waits for the answer any more. */
  limitMs: number;
  summary: string;
  does: string;
  /** One that has failed at once, in words. */
  failed: (why: string) => string;
}

/** Resolves once it runs, or is done. Throws UpgradesError. */
export async function startTold<Input>(
  client: Client,
  settings: UpgradesSettings,
  { input, taskQueue }: Prepared,
  told: Told<Input>,
): Promise<StartedCheck> {
  const { workflowId } = told;
  try {
    const { target, requestedBy } = input;
    const handle = await start(client, settings, { input, taskQueue }, told);
    const limitMs = Math.min(settings.planWithinMs ?? FIRST_TASK_MS, FIRST_TASK_MS);
    const { firstExecutionRunId: runId } = handle;
    await untilBegun(client, { workflowId, runId, taskQueue, limitMs, failed: told.failed });
    return { kind: 'started', workflowId, runId, target, requestedBy: actorName(requestedBy) };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return await running(client, workflowId, taskQueue);
    throw translate(client, error);
  }
}

function start<Input>(
  client: Client,
  settings: UpgradesSettings,
  { input, taskQueue }: { input: UpgradeInput; taskQueue: string },
  { workflowId, type, args, limitMs, summary, does }: Told<Input>,
): Promise<{ firstExecutionRunId: string }> {
  return withKnownAttributes(searchAttributes(input, settings.environmentOf?.(input.cluster.name)), (typedSearchAttributes) =>
    within(client, SERVER_LIMIT_MS, () =>
      client.workflow.start<(input: Input) => Promise<unknown>>(type, {
        workflowId,
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowExecutionTimeout: limitMs,
        taskQueue,
        args: [args],
        staticSummary: summary,
        staticDetails: detailsOf(input, does),
        typedSearchAttributes,
      }),
    ),
  );
}

/** Waits until a worker has begun, or the request has ended. What comes of it later is told in its message. */
async function untilBegun(
  client: Client,
  {
    workflowId,
    runId,
    taskQueue,
    limitMs,
    failed,
  }: { workflowId: string; runId: string; taskQueue: string; limitMs: number } & Pick<Told<unknown>, 'failed'>,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    await within(client, limitMs, () => handle.result());
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw new UpgradesError('failed', failed(rootMessage(error)), { cause: error });
    await refuseWithoutWorker(client, await within(client, SERVER_LIMIT_MS, () => handle.describe()), taskQueue);
  }
}

async function running(client: Client, workflowId: string, taskQueue: string): Promise<StartedCheck> {
  try {
    const description = await within(client, SERVER_LIMIT_MS, () => client.workflow.getHandle(workflowId).describe());
    await refuseWithoutWorker(client, description, taskQueue);
    const { runId, target = 'another version', requestedBy = 'somebody', startedAt } = fromVisibility(description);
    return { kind: 'running', workflowId, runId, target, requestedBy, startedAt };
  } catch (error) {
    throw translate(client, error);
  }
}
