/** Status of an upgrade: from its workflow, or from what Temporal itself knows when no worker answers. */
import { type Client, type WorkflowExecutionInfo, type WorkflowHandle } from '@temporalio/client';
import { clusterNameOf, type GateKind, runOf, TASK_QUEUE, upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { type SEARCH_ATTRIBUTES, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { PHASE_WORKFLOWS } from '../../workflows/contract/phase-workflows.ts';
import { withOutlivingGates } from './outliving-gates.ts';
import { newestUpgrade } from './newest-run.ts';
import { queryStatus } from './query-status.ts';
import { defined } from '../../domain/core/defined.ts';
import { isNotFound, missingAttributeOf, rootMessage, translate, within } from '../calls/temporal-calls.ts';
import { type Listed, type StatusAnswer, UpgradesError, type UpgradesSettings, type VisibilityStatus } from '../calls/contract.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';
import { gatesUnseen, noKnownUpgrade, statusUnread, statusWithoutWorker } from '../calls/messages.ts';
import { IS_OPEN, isOpenStatus } from '../calls/open.ts';

const WORKER_LIMIT_MS = 2_000;
const LIST_LIMIT_MS = 5_000;
const FREEZE = PHASE_WORKFLOWS['freeze-drift'];

/** `runId`: of that run; default: the newest upgrade. */
export async function readStatus(client: Client, settings: UpgradesSettings, cluster: ClusterRef, runId?: string): Promise<StatusAnswer> {
  const handle = client.workflow.getHandle(upgradeWorkflowId(cluster), runId);
  const limitMs = settings.withinMs ?? WORKER_LIMIT_MS;
  let why: string;
  try {
    const goesOn = isRunning(client, handle, limitMs);
    const status = await within(client, limitMs, () => queryStatus(handle));
    // What cannot be looked at is as the run knew it.
    const asItIs = (await goesOn) ? status : await withOutlivingGates(client, status, limitMs).catch(() => status);
    return { source: 'workflow', status: asItIs };
  } catch (error) {
    if (isNotFound(error)) throw new UpgradesError('not-running', noKnownUpgrade(cluster.name));
    const known = translate(client, error);
    why =
      known.code === 'failed' ? statusUnread(rootMessage(error)) : statusWithoutWorker(settings.taskQueue ?? TASK_QUEUE, limitMs / 1000);
  }
  try {
    const description = await within(client, limitMs, () => handle.describe());
    // A repair under this id is over, and says nothing of the upgrade before it.
    if (description.type !== WORKFLOWS.upgrade && !isOpenStatus(description.status.name)) {
      const upgrade = await within(client, limitMs, () => newestUpgrade(client, handle.workflowId));
      if (upgrade === undefined) throw new UpgradesError('not-running', noKnownUpgrade(cluster.name));
      return await readStatus(client, settings, cluster, upgrade.runId);
    }
    const waiting = await within(client, limitMs, () => waitingSteps(client, `AND WorkflowId STARTS_WITH '${handle.workflowId}/'`));
    if (description.status.name === 'COMPLETED' && waiting?.length === 0) {
      const ended = await within(client, limitMs, () => endOf(client, description)).catch(() => undefined);
      if (ended !== undefined) return { source: 'workflow', status: ended };
    }
    const blind = waiting === undefined ? ` ${gatesUnseen()}` : '';
    return { source: 'visibility', status: withStepsGate(fromVisibility(description), waiting ?? []), why: `${why}${blind}` };
  } catch (error) {
    throw translate(client, error);
  }
}

/** How a run ended is in its result, which Temporal gives without a worker. undefined: it has none that a run of Belay gives. */
async function endOf(
  client: Client,
  { workflowId, runId }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>,
): Promise<UpgradeStatus | undefined> {
  const report = await client.workflow.getHandle<() => Promise<UpgradeReport | undefined>>(workflowId, runId).result();
  return report?.status?.endedAt === undefined ? undefined : report.status;
}

/** What cannot be looked at counts as running. */
async function isRunning(client: Client, handle: Pick<WorkflowHandle, 'describe'>, limitMs: number): Promise<boolean> {
  try {
    return isOpenStatus((await within(client, limitMs, () => handle.describe())).status.name);
  } catch {
    return true;
  }
}

export async function listAll(client: Client): Promise<Listed> {
  const query = `WorkflowType IN ('${WORKFLOWS.upgrade}', '${FREEZE}') AND ${IS_OPEN}`;
  try {
    return await within(client, LIST_LIMIT_MS, async () => {
      const open: WorkflowExecutionInfo[] = [];
      for await (const info of client.workflow.list({ query })) open.push(info);
      const [freezes, runs] = [open.filter(({ type }) => type === FREEZE), open.filter(({ type }) => type !== FREEZE)];
      const waiting = runs.length === 0 ? [] : ((await waitingSteps(client)) ?? []);
      const running = new Set(runs.map(({ workflowId }) => workflowId));
      return {
        runs: runs.map((run) => withStepsGate(fromVisibility(run), waiting)),
        // Where the cluster has a new run, that one answers for the freeze.
        keptFreezes: freezes.filter(({ workflowId }) => !running.has(runOf(workflowId))).map(keptFreeze),
      };
    });
  } catch (error) {
    throw translate(client, error);
  }
}

/** A step of a run that has ended, such as eks-upgrade/…/prod/freeze-drift@1.32, whose attributes are not all those of the run. */
const keptFreeze = (step: WorkflowExecutionInfo): VisibilityStatus => ({
  ...fromVisibility(step),
  target: step.workflowId.split('@').at(-1),
  workflowId: runOf(step.workflowId),
  runId: step.parentExecution?.runId ?? step.runId,
});

/** Steps that wait for people at gates of their own, e.g. between two waves of Istio; undefined where the namespace cannot say. */
async function waitingSteps(client: Client, filter = ''): Promise<VisibilityStatus[] | undefined> {
  const query = `${IS_OPEN} AND BelayWaitingFor IS NOT NULL AND WorkflowType != '${WORKFLOWS.upgrade}' ${filter}`;
  const found: VisibilityStatus[] = [];
  try {
    for await (const info of client.workflow.list({ query })) found.push(fromVisibility(info));
  } catch (error) {
    if (missingAttributeOf(error) === undefined) throw error;
    return undefined;
  }
  return found;
}

/** They close by themselves, once a time has come. */
const BY_TIME: readonly GateKind[] = ['bake', 'window'];

export const closesByItself = (gate: string): boolean => BY_TIME.some((kind) => gate.startsWith(`${kind}:`));

export interface WaitsAt {
  /** Somebody has to decide at it. */
  gate?: string;
  /** It goes on by itself, however long that takes. */
  byItself?: string;
}

/**
 * The gates at which an open run waits, its own (`own`) or those of its steps, each the first of its sort; none where the namespace cannot say. A kept
 * freeze asks on behalf of a run that has ended. Throws what the client throws.
 */
export async function waitsAt(client: Client, { workflowId, own }: { workflowId: string; own: string | undefined }): Promise<WaitsAt> {
  const asks = (gate: string): boolean => !closesByItself(gate) && !gate.startsWith('kept:');
  if (own !== undefined && own !== '' && asks(own)) return { gate: own };
  const steps = (await waitingSteps(client, `AND WorkflowId STARTS_WITH '${workflowId}/'`)) ?? [];
  const gates = [own ?? '', ...steps.map(({ waitingFor = '' }) => waitingFor)].filter((each) => each !== '');
  return defined({ gate: gates.find(asks), byItself: gates.find(closesByItself) });
}

/** Of several gates one at which somebody has to decide. */
function withStepsGate(run: VisibilityStatus, steps: readonly VisibilityStatus[]): VisibilityStatus {
  const own = steps.filter(({ workflowId }) => workflowId.startsWith(`${run.workflowId}/`));
  const gates = [run, ...own].flatMap(({ waitingFor }) => (waitingFor === undefined || waitingFor === '' ? [] : waitingFor));
  return { ...run, waitingFor: gates.find((gate) => !closesByItself(gate)) ?? gates[0] };
}

export function fromVisibility(info: Omit<WorkflowExecutionInfo, 'raw'>): VisibilityStatus {
  const attribute = (name: (typeof SEARCH_ATTRIBUTES)[number]): string | undefined => {
    const pair = info.typedSearchAttributes.getAll().find(({ key }) => key.name === name);
    return typeof pair?.value === 'string' ? pair.value : undefined;
  };
  return {
    workflowId: info.workflowId,
    runId: info.runId,
    cluster: attribute('BelayCluster') ?? (clusterNameOf(info.workflowId) || info.workflowId),
    target: attribute('BelayTarget'),
    phase: attribute('BelayPhase'),
    waitingFor: attribute('BelayWaitingFor'),
    requestedBy: attribute('BelayRequestedBy'),
    execution: info.status.name,
    startedAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString(),
  };
}
