/** A cluster has one run at a time: who starts a second one hears which the first is. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';
import { readStatus } from '../reading/status.ts';
import { type StatusAnswer, type Upgrades, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { actorName } from '../../domain/gates/actor.ts';
import { alreadyUpgrading } from '../calls/messages.ts';
import { isOpenStatus } from '../calls/open.ts';

/** A run that has told its end closes within a moment: its last records and messages are written first. */
const CLOSING_LIMIT_MS = 5_000;

/** Says so before the cluster is read; Temporal itself refuses the second run in any case. A run that is over already is waited for. */
export async function refuseSecond(client: Client, settings: UpgradesSettings, cluster: ClusterRef): Promise<void> {
  let state: string;
  let runId: string;
  try {
    const handle = client.workflow.getHandle(upgradeWorkflowId(cluster));
    ({
      status: { name: state },
      runId,
    } = await within(client, SERVER_LIMIT_MS, () => handle.describe()));
  } catch (error) {
    const known = translate(client, error);
    if (known.code === 'unreachable') throw known;
    return;
  }
  if (!isOpenStatus(state)) return;
  if (state === 'RUNNING' && (await closesNow(client, settings, cluster, runId))) return;
  throw await alreadyRunning(client, settings, cluster);
}

/** Whether the run has ended as far as people were told, and Temporal closes it while we wait. */
async function closesNow(client: Client, settings: UpgradesSettings, cluster: ClusterRef, runId: string): Promise<boolean> {
  try {
    const answer = await readStatus(client, settings, cluster);
    if (answer.source !== 'workflow' || answer.status.endedAt === undefined) return false;
    const handle = client.workflow.getHandle(upgradeWorkflowId(cluster), runId);
    await within(client, CLOSING_LIMIT_MS, () => handle.result());
    return true;
  } catch (error) {
    return error instanceof WorkflowFailedError;
  }
}

export async function alreadyRunning(client: Client, settings: UpgradesSettings, cluster: ClusterRef): Promise<UpgradesError> {
  try {
    return secondRun(cluster.name, await readStatus(client, settings, cluster));
  } catch {
    return new UpgradesError('already-running', alreadyUpgrading(cluster.name));
  }
}

/** Why no other is started. `answer`: of the run that is under way. */
export function secondRun(cluster: string, answer: StatusAnswer): UpgradesError {
  const known =
    answer.source === 'workflow'
      ? {
          to: answer.status.to,
          state: answer.status.headline || answer.status.state,
          by: actorName(answer.status.requestedBy),
          at: answer.status.startedAt,
        }
      : {
          to: answer.status.target ?? 'another version',
          state: answer.status.waitingFor ?? answer.status.phase ?? 'running',
          by: answer.status.requestedBy ?? 'somebody',
          at: answer.status.startedAt,
        };
  return new UpgradesError('already-running', alreadyUpgrading(cluster, known));
}

/** The newest run, "" where Temporal knows none. Throws UpgradesError where one is under way: nothing can be started beside it. */
export async function endedRun(upgrades: Pick<Upgrades, 'newestRun' | 'status'>, cluster: string): Promise<string> {
  const newest = await upgrades.newestRun(cluster);
  if (newest?.isOpen === true) {
    const answer = await upgrades.status(cluster);
    // One that has told its end closes in a moment: who starts another then waits for it.
    if (answer.source === 'visibility' || answer.status.endedAt === undefined) throw secondRun(cluster, answer);
  }
  return newest?.runId ?? '';
}
