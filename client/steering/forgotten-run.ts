/** Buttons of a run that Temporal does not know any more: its database was restored from a backup, or the run is older than its retention. */
import type { Client } from '@temporalio/client';
import { clusterOf, runOf } from '../../workflows/contract/ids.ts';
import { type UpgradesSettings, UpgradesError } from '../calls/contract.ts';
import { readVersions } from '../starting/lookups.ts';
import { runForgotten } from '../calls/messages.ts';
import { isNotFound, translate, within } from '../calls/temporal-calls.ts';

const DESCRIBE_LIMIT_MS = 1_000;
/** Somebody waits for the answer; without the version it is still one. */
const VERSION_LIMIT_MS = 5_000;

/** `workflowId`: of the run, or of one of its steps. Rejects where Temporal cannot be asked. */
export async function isForgotten(client: Client, workflowId: string, run: string): Promise<boolean> {
  if (clusterOf(workflowId) === undefined) return false;
  try {
    await within(client, DESCRIBE_LIMIT_MS, () => client.workflow.getHandle(runOf(workflowId), run).describe());
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw translate(client, error);
  }
}

/** The answer, with where the cluster is as far as that can be read now. */
export async function forgottenRun(client: Client, settings: UpgradesSettings, workflowId: string): Promise<UpgradesError> {
  const name = clusterOf(runOf(workflowId))?.name ?? workflowId;
  return new UpgradesError('forgotten', runForgotten(name, await versionOf(client, settings, name)));
}

async function versionOf(client: Client, settings: UpgradesSettings, name: string): Promise<string | undefined> {
  const limit = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), VERSION_LIMIT_MS).unref());
  const reading = readVersions(client, settings, [name]).then(
    ({ clusters }) => clusters[0]?.version,
    () => undefined,
  );
  return await Promise.race([reading, limit]);
}
