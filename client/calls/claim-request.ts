/** A request of Slack that starts or posts something is taken once, whichever process is given it and however often. */
import { createHash } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { requestWorkflowId, TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import type { UpgradesSettings } from './contract.ts';
import { SERVER_LIMIT_MS, translate, within } from './temporal-calls.ts';

/** Longer than a signed request is accepted. The id stays taken after it, for as long as the namespace keeps what has closed: an hour at least. */
const CLAIM_LIMIT_MS = 10 * 60_000;

/**
 * False: it was taken before. `requestId`: of Slack, the same however often it is delivered. The server alone decides, so no worker has to answer. Throws
 * UpgradesError where Temporal does not say: what may have been taken is not done.
 */
export async function claimRequest(client: Client, { taskQueue = TASK_QUEUE }: UpgradesSettings, requestId: string): Promise<boolean> {
  try {
    await within(client, SERVER_LIMIT_MS, () =>
      client.workflow.start<() => Promise<void>>(WORKFLOWS.claim, {
        workflowId: requestWorkflowId(createHash('sha256').update(requestId).digest('hex').slice(0, 32)),
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowExecutionTimeout: CLAIM_LIMIT_MS,
        taskQueue,
        args: [],
        staticSummary: 'One request of Slack, taken once',
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw translate(client, error);
  }
}
