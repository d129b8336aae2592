/** What Temporal and the change records know of audit records: how far each had come, and the hash of its newest entry. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { AuditHead } from '../../../domain/gates/audit.ts';
import type { Anchor } from '../../../domain/gates/audit-anchor.ts';
import type { LockedPart, RecordStorage } from '../../../activities/contract/records.ts';
import { auditName } from '../../../activities/run/records/audit.ts';
import { readChain } from '../../../activities/run/records/audit-chain.ts';
import { queryStatus } from '../../../client/reading/query-status.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import { upgradeWorkflowId } from '../../../workflows/contract/ids.ts';
import { recordsOf } from '../read-records.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

const LIMIT_MS = 10_000;

/** Of a run that has ended: its result. Of one that has not, or was terminated: what its own state says, which takes a worker. */
export async function anchorInTemporal(client: Client, cluster: ClusterRef, runId: string): Promise<Anchor | { missing: string }> {
  const handle = client.workflow.getHandle(upgradeWorkflowId(cluster), runId, { followRuns: false });
  try {
    return await client.withDeadline(Date.now() + LIMIT_MS, async () => {
      const { status } = await handle.describe();
      const ended = status.name === 'COMPLETED' || status.name === 'FAILED';
      const head = ended ? headIn(await reportOf(handle)) : (await queryStatus(handle)).audit;
      return head === undefined ? { missing: `Temporal's run ${runId} names no entry` } : { ...head, from: 'Temporal', final: ended };
    });
  } catch (error) {
    return { missing: `Temporal cannot say: ${messageOf(error)}` };
  }
}

async function reportOf(handle: { result(): Promise<unknown> }): Promise<unknown> {
  try {
    return await handle.result();
  } catch (error) {
    if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause.details?.[0];
    throw error;
  }
}

/** Beside the audit record in the same place: weaker than Temporal, and there when Temporal has forgotten. */
export async function anchorInRecord(storage: RecordStorage, cluster: ClusterRef, runId: string): Promise<Anchor | undefined> {
  const record = (await recordsOf(storage, cluster)).find(({ report }) => report.status.runId === runId);
  const head = headIn(record?.report);
  return head === undefined ? undefined : { ...head, from: 'the change record' };
}

/** What Object Lock keeps of the record itself; undefined: this store locks nothing. `replaced`: parts that were written over or deleted. */
export async function anchorInLock(
  { audit }: RecordStorage,
  cluster: ClusterRef,
  runId: string,
): Promise<{ anchor: Anchor; replaced: string[] } | { missing: string } | undefined> {
  if (audit.locked === undefined) return undefined;
  let part: LockedPart | undefined;
  try {
    part = await audit.locked(auditName(cluster, runId));
  } catch (error) {
    return { missing: `Object Lock cannot be read: ${messageOf(error)}` };
  }
  if (part === undefined) return { missing: 'no part of it is locked' };
  const last = readChain(part.text).entries.at(-1);
  if (last === undefined) return { missing: 'its newest locked part has no entry' };
  return { anchor: { seq: last.seq, hash: last.hash, from: `Object Lock (until ${part.until.slice(0, 10)})` }, replaced: part.replaced };
}

function headIn(report: unknown): AuditHead | undefined {
  const head = field(field(report, 'audit'), 'head');
  const [seq, hash] = [field(head, 'seq'), field(head, 'hash')];
  return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined;
}
