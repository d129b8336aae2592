/**
 * Before each change: does Temporal's history know all that the run has done? After its database was restored from a backup it does not, and nothing
 * more is changed before people have said so. The change is then written down outside of Temporal, and only then made.
 */
import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { ChangeLedger, RunOfCluster } from '../../../activities/run/records/change-ledger.ts';
import type { GrantedRun } from '../../../activities/run/authorization/grants.ts';
import { auditText } from '../../../domain/gates/audit.ts';
import type { AuditEntry } from '../../../domain/gates/audit.ts';
import { type FailureType } from '../../../domain/core/failure-types.ts';
import { GRPC } from '../../../client/calls/grpc-status.ts';
import { field } from '../../../domain/core/unknown.ts';
import {
  acceptedUpTo,
  type BegunChange,
  changesOf,
  isBegun,
  type LedgerLine,
  lostChanges,
  mustBeKept,
  otherExecutions,
} from '../../../domain/run/restores/change-ledger.ts';
import { forgottenLines, newestNotice, type Restored, type RestoreNotice, whyLost } from '../../../domain/run/restores/restored.ts';
import { clusterOf } from '../../../workflows/contract/ids.ts';
import { isRefusal } from '../connection.ts';

type Info = Pick<Context['info'], 'workflowExecution' | 'workflowNamespace' | 'activityType' | 'activityId' | 'scheduledTimestampMs'>;
type Execution = Pick<GrantedRun, 'workflowId' | 'runId'>;

const LAST_ENTRIES = 5;

/** undefined: Temporal does not know it. Rejects where it cannot be asked. */
export type StartOf = (execution: Execution) => Promise<Date | undefined>;

/** For how long the namespace keeps an execution after its end, ms; undefined: this worker may not read that. Rejects where it cannot be asked. */
export type KeptMs = () => Promise<number | undefined>;

export interface RestoreDeps {
  ledger: ChangeLedger;
  /** Newest entries of a run's audit record, for people. */
  record: (run: RunOfCluster) => Promise<AuditEntry[]>;
  startOf: StartOf;
  keptMs: KeptMs;
  /** BELAY_AFTER_RESTORE. */
  afterRestore?: RestoreNotice | undefined;
}

export async function startIn(
  { workflowService }: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
  execution: Execution,
): Promise<Date | undefined> {
  try {
    const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({ namespace, execution });
    return new Date(Number(workflowExecutionInfo?.startTime?.seconds ?? 0) * 1000);
  } catch (error) {
    if (field(error, 'code') === GRPC.notFound) return undefined;
    throw error;
  }
}

/** https://docs.temporal.io/temporal-service/temporal-server#retention-period */
export async function keptIn(
  { workflowService }: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
): Promise<number | undefined> {
  try {
    const { config } = await workflowService.describeNamespace({ namespace });
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    return seconds > 0 ? seconds * 1000 : undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** Throws Restored. `run`: the one whose grant the activity carries. `input`: its first argument. */
export async function requireHistory(info: Info, input: unknown, run: Execution, deps: RestoreDeps): Promise<void> {
  const cluster = clusterOf(run.workflowId);
  const now = changeIn(info);
  const namespace = info.workflowNamespace;
  if (cluster === undefined || now === undefined || namespace === undefined) return;
  const of = { cluster, runId: run.runId };
  const lines = await withAccepted(await deps.ledger.read(of), field(input, 'restored'), of, deps.ledger);
  const forgotten = await forgottenBy(lines, now, deps);
  const restore = (await pending(lines, run, namespace, deps)) ?? (await noticed(forgotten, now, namespace, deps.ledger));
  if (restore !== undefined) throw await refusal(info.activityType, restore, forgotten, of, deps);
  if (!isBegun(lines, now)) await deps.ledger.append(of, now);
}

function changeIn({ workflowExecution, activityType, activityId, scheduledTimestampMs }: Info): BegunChange | undefined {
  if (workflowExecution === undefined) return undefined;
  const { workflowId, runId } = workflowExecution;
  return { workflowId, runId, activity: activityType, seq: Number(activityId), scheduledAtMs: scheduledTimestampMs };
}

/** The workflow says which restore people have accepted. */
async function withAccepted(lines: LedgerLine[], restored: unknown, of: RunOfCluster, ledger: ChangeLedger): Promise<LedgerLine[]> {
  if (typeof restored !== 'string' || restored <= acceptedUpTo(lines)) return lines;
  const line = { accepted: restored };
  await ledger.append(of, line);
  return [...lines, line];
}

async function forgottenBy(
  lines: readonly LedgerLine[],
  now: BegunChange,
  { startOf, keptMs }: Pick<RestoreDeps, 'startOf' | 'keptMs'>,
): Promise<BegunChange[]> {
  const others = otherExecutions(lines, now);
  const starts = await Promise.all(others.map((execution) => startOf(execution)));
  const unknown = others.filter((_, index) => starts[index] === undefined);
  const kept = unknown.length === 0 ? undefined : await keptMs();
  const gone = kept === undefined ? unknown : mustBeKept(lines, unknown, kept, Date.now());
  return [...lostChanges(lines, now), ...changesOf(lines, gone)];
}

/** A restore that was made known, and that people have not accepted for this run. A run that began afterwards has lost nothing. */
async function pending(
  lines: readonly LedgerLine[],
  run: Execution,
  namespace: string,
  { ledger, afterRestore, startOf }: RestoreDeps,
): Promise<RestoreNotice | undefined> {
  const notices = await ledger.notices(namespace);
  const newest = newestNotice(afterRestore === undefined ? notices : [...notices, afterRestore]);
  if (newest === undefined || newest.at <= acceptedUpTo(lines)) return undefined;
  const startedAt = await startOf(run);
  return startedAt !== undefined && startedAt.toISOString() >= newest.at ? undefined : newest;
}

/** Told to all runs of the namespace. */
async function noticed(
  forgotten: readonly BegunChange[],
  now: BegunChange,
  namespace: string,
  ledger: ChangeLedger,
): Promise<RestoreNotice | undefined> {
  if (forgotten.length === 0) return undefined;
  const notice = { at: new Date().toISOString(), why: `${now.workflowId}: ${whyLost(forgotten, now)}` };
  await ledger.notice(namespace, notice);
  return notice;
}

async function refusal(
  activity: string,
  { at, why }: RestoreNotice,
  forgotten: readonly BegunChange[],
  of: RunOfCluster,
  deps: RestoreDeps,
): Promise<ApplicationFailure> {
  const record = await deps.record(of).catch(() => []);
  const details: Restored = { at, why, forgotten: forgottenLines(forgotten), record: record.slice(-LAST_ENTRIES).map(auditText) };
  const type: FailureType = 'Restored';
  return ApplicationFailure.create({
    message: `${activity} was not sent: Temporal's database was restored from a backup (${why}); decide at the gate of this step`,
    type,
    nonRetryable: true,
    details: [details],
  });
}
