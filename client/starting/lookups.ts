/** What forms and overviews show before anything is started: versions of clusters, and how ready one is. */
import { createHash } from 'node:crypto';
import { type Client, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import { quietCheckWorkflowId, TASK_QUEUE, undoListWorkflowId, versionsWorkflowId } from '../../workflows/contract/ids.ts';
import { type CheckInput, type UndoListInput, type VersionsInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { FIRST_TASK_MS, isTimeout, refuseWithoutWorker, rootMessage, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';
import { type Upgrades, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import { detailsOf, prepare, resolve } from './prepare-request.ts';
import { noAnswerWithin } from '../calls/messages.ts';

const VERSIONS_LIMIT_MS = 60_000;
/** As long as people look at a form; the check itself takes a minute or two. */
const READINESS_LIMIT_MS = 5 * 60_000;
/** A large cluster is inspected in a minute or two. */
const UNDO_LIMIT_MS = 5 * 60_000;

export async function readVersions(client: Client, settings: UpgradesSettings, names: readonly string[]): Promise<FleetVersions> {
  const clusters = names.map((name) => resolve(settings, name));
  const key = createHash('sha256').update(JSON.stringify(clusters)).digest('hex').slice(0, 16);
  return await shared(client, VERSIONS_LIMIT_MS, settings, (taskQueue) =>
    client.workflow.start<(input: VersionsInput) => Promise<FleetVersions>>(WORKFLOWS.versions, {
      ...SHARED,
      workflowId: versionsWorkflowId(key),
      workflowExecutionTimeout: VERSIONS_LIMIT_MS,
      taskQueue,
      args: [{ clusters }],
      staticSummary: `Versions of ${names.length === 1 ? names[0] : `${names.length} clusters`}`,
      staticDetails: 'Reads which Kubernetes versions run, for people who look at Slack. Changes nothing.',
    }),
  );
}

export async function readReadiness(
  client: Client,
  settings: UpgradesSettings,
  request: Parameters<Upgrades['readiness']>[0],
): Promise<ReadinessSummary> {
  const { input } = prepare(settings, request);
  const { cluster, target, requestedBy } = input;
  const check: CheckInput = { cluster, target, requestedBy };
  return await shared(client, READINESS_LIMIT_MS, settings, (taskQueue) =>
    client.workflow.start<(input: CheckInput) => Promise<ReadinessSummary>>(WORKFLOWS.check, {
      ...SHARED,
      workflowId: quietCheckWorkflowId(cluster, target),
      workflowExecutionTimeout: READINESS_LIMIT_MS,
      taskQueue,
      args: [check],
      staticSummary: `Check whether ${cluster.name} is ready for ${target}, for a form`,
      staticDetails: detailsOf(input, 'Reads the cluster and shows in a form what blocks an upgrade. Changes nothing.'),
    }),
  );
}

export async function listUndo(client: Client, settings: UpgradesSettings, name: string): Promise<UndoOption[]> {
  const cluster = resolve(settings, name);
  return await shared(client, UNDO_LIMIT_MS, settings, (taskQueue) =>
    client.workflow.start<(input: UndoListInput) => Promise<UndoOption[]>>(WORKFLOWS.undoList, {
      ...SHARED,
      workflowId: undoListWorkflowId(cluster),
      workflowExecutionTimeout: UNDO_LIMIT_MS,
      taskQueue,
      args: [{ cluster }],
      staticSummary: `What can be undone on ${cluster.name}`,
      staticDetails: 'Reads the cluster and the record of its last run, and says which steps can be undone now. Changes nothing.',
    }),
  );
}

/** The same question asked twice at a time shares one answer. */
const SHARED = { workflowIdConflictPolicy: 'USE_EXISTING', workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;

/** Throws UpgradesError, `no-worker` where none has begun. */
async function shared<Input, R>(
  client: Client,
  limitMs: number,
  settings: UpgradesSettings,
  start: (taskQueue: string) => Promise<WorkflowHandle<(input: Input) => Promise<R>>>,
): Promise<R> {
  const taskQueue = settings.taskQueue ?? TASK_QUEUE;
  const resultLimitMs = Math.min(limitMs, settings.planWithinMs ?? limitMs);
  try {
    const handle = await within(client, SERVER_LIMIT_MS, () => start(taskQueue));
    const firstMs = Math.min(resultLimitMs, FIRST_TASK_MS);
    for (const waitMs of [firstMs, resultLimitMs - firstMs]) {
      try {
        if (waitMs > 0) return await within(client, waitMs, () => handle.result());
      } catch (error) {
        if (error instanceof WorkflowFailedError) throw new UpgradesError('failed', rootMessage(error), { cause: error });
        if (!isTimeout(error)) throw error;
        await refuseWithoutWorker(client, await within(client, SERVER_LIMIT_MS, () => handle.describe()), taskQueue);
      }
    }
    throw new UpgradesError('failed', noAnswerWithin(Math.round(resultLimitMs / 1000)));
  } catch (error) {
    throw translate(client, error);
  }
}
