/** Which run of a cluster, or of a campaign, is the newest, by Temporal alone: what was asked about it is done for no other. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import type { KnownRun } from '../calls/contract.ts';
import { isNotFound, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';
import { isOpenStatus } from '../calls/open.ts';

/** No worker has to answer. undefined: Temporal knows none. Throws UpgradesError. */
export async function newestRun(client: Client, workflowId: string): Promise<KnownRun | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { raw, runId, status } = await within(client, SERVER_LIMIT_MS, () => handle.describe());
    return { runId: raw.workflowExecutionInfo?.firstRunId || runId, isOpen: isOpenStatus(status.name) };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw translate(client, error);
  }
}

/**
 * The newest upgrade under this id, where what ran last is none: a repair that holds the cluster's lock has the same id. undefined: there is none. Throws
 * what the client throws.
 */
export async function newestUpgrade(client: Client, workflowId: string): Promise<WorkflowExecutionInfo | undefined> {
  const query = `WorkflowId = '${workflowId}' AND WorkflowType = '${WORKFLOWS.upgrade}'`;
  for await (const info of client.workflow.list({ query, pageSize: 1 })) return info;
  return undefined;
}
