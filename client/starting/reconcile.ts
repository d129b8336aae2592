/** Looks for what runs have left behind, and has it put back under the cluster's lock. */
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { ReconcileReport } from '../../domain/run/leftovers.ts';
import { leftoversWorkflowId, TASK_QUEUE, upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { type ReconcileInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { FIRST_TASK_MS, isTimeout, refuseWithoutWorker, rootMessage, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';
import { reconcileOf } from '../calls/sign-commands.ts';
import { alreadyRunning, refuseSecond } from './running-upgrade.ts';
import { searchAttributes, withKnownAttributes } from './start-attributes.ts';
import { type ReconcileRequest, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import { actorName } from '../../domain/gates/actor.ts';
import { resolve } from './prepare-request.ts';
import { reconcileFailed, reconcileTooSlow } from '../calls/messages.ts';

/** Large clusters have thousands of nodes to give back. */
const RECONCILE_LIMIT_MS = 5 * 60_000;
const LOOK_LIMIT_MS = 60_000;

/** What is to be put back is looked for first: without a worker nothing is begun, and nothing waits for one. */
export async function reconcile(client: Client, settings: UpgradesSettings, request: ReconcileRequest): Promise<ReconcileReport> {
  if (request.apply) {
    await refuseSecond(client, settings, resolve(settings, request.cluster));
    await run(client, settings, { ...request, apply: false });
  }
  return await run(client, settings, request);
}

async function run(client: Client, settings: UpgradesSettings, request: ReconcileRequest): Promise<ReconcileReport> {
  const { requestedBy, apply, roll, reason, prove } = request;
  const cluster = resolve(settings, request.cluster);
  const taskQueue = settings.taskQueue ?? TASK_QUEUE;
  const workflowId = apply ? upgradeWorkflowId(cluster) : `${leftoversWorkflowId(cluster)}${roll === true ? '/roll' : ''}`;
  const asked: ReconcileInput = { cluster, requestedBy, apply, roll, reason };
  const input = await reconcileOf(prove ?? settings.prove, workflowId, asked);
  try {
    const handle = await withKnownAttributes(
      searchAttributes({ cluster, requestedBy }, settings.environmentOf?.(request.cluster)),
      (typedSearchAttributes) =>
        within(client, SERVER_LIMIT_MS, () =>
          client.workflow.start<(input: ReconcileInput) => Promise<ReconcileReport>>(WORKFLOWS.reconcile, {
            workflowId,
            // A look at the same moment shows the same; what changes something never runs beside a run.
            workflowIdConflictPolicy: apply ? 'FAIL' : 'USE_EXISTING',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            ...(apply ? {} : { workflowExecutionTimeout: LOOK_LIMIT_MS }),
            taskQueue,
            args: [input],
            staticSummary: `${apply ? 'Put back' : 'Look for'} what runs have left behind on ${cluster.name}`,
            staticDetails: `Requested by ${actorName(requestedBy)} (${requestedBy.kind})${reason === undefined ? '' : `: ${reason}`}`,
            typedSearchAttributes,
          }),
        ),
    );
    try {
      return await resultOf(client, handle, taskQueue, apply ? RECONCILE_LIMIT_MS : LOOK_LIMIT_MS);
    } catch (error) {
      if (error instanceof WorkflowFailedError) throw new UpgradesError('failed', reconcileFailed(rootMessage(error)), { cause: error });
      if (!isTimeout(error)) throw error;
      throw new UpgradesError('failed', reconcileTooSlow(workflowId), {
        cause: error,
      });
    }
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw await alreadyRunning(client, settings, cluster);
    throw translate(client, error);
  }
}

/** Somebody who waits hears soon that nobody works. */
async function resultOf(
  client: Client,
  handle: WorkflowHandle<(input: ReconcileInput) => Promise<ReconcileReport>>,
  taskQueue: string,
  limitMs: number,
): Promise<ReconcileReport> {
  const firstMs = Math.min(limitMs, FIRST_TASK_MS);
  try {
    return await within(client, firstMs, () => handle.result());
  } catch (error) {
    if (!isTimeout(error)) throw error;
    await refuseWithoutWorker(client, await within(client, SERVER_LIMIT_MS, () => handle.describe()), taskQueue);
    return await within(client, Math.max(1, limitMs - firstMs), () => handle.result());
  }
}
