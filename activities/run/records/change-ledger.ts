/** The ledger of a run's changes (domain/run/restores), and the notices that a namespace was restored: lines of JSON beside the records. */
import type { AcceptedRestore, BegunChange, LedgerLine } from '../../../domain/run/restores/change-ledger.ts';
import { newestNotice, type RestoreNotice } from '../../../domain/run/restores/restored.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { AuditStore } from '../../contract/records.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { auditName } from './audit.ts';
import { untilUncontested } from './storage/until-uncontested.ts';

export interface RunOfCluster {
  cluster: ClusterRef;
  runId: string;
}

/** Rejects with Unavailable where it cannot be read or written: no change without its line. */
export interface ChangeLedger {
  read(run: RunOfCluster): Promise<LedgerLine[]>;
  append(run: RunOfCluster, line: LedgerLine): Promise<void>;
  notices(namespace: string): Promise<RestoreNotice[]>;
  notice(namespace: string, notice: RestoreNotice): Promise<void>;
}

export function createChangeLedger(store: Pick<AuditStore, 'look' | 'read' | 'append'>): ChangeLedger {
  const linesOf = async <T>(name: string, parse: (value: unknown) => T | undefined): Promise<T[]> => {
    const text = await reachable(name, () => store.read(name));
    return text.split('\n').flatMap((line) => parse(parsed(line)) ?? []);
  };
  // It begins with a line end: one that a crash cut off must not swallow it.
  const write = (name: string, line: object): Promise<void> => reachable(name, () => appended(store, name, `\n${JSON.stringify(line)}\n`));
  return {
    read: ({ cluster, runId }) => linesOf(auditName(cluster, runId), ledgerLine),
    append: ({ cluster, runId }, line) => write(auditName(cluster, runId), line),
    notices: (namespace) => linesOf(noticesName(namespace), notice),
    notice: (namespace, line) => write(noticesName(namespace), line),
  };
}

/** A line that was written and not answered stands there twice, which says no more than once. */
const appended = (store: Pick<AuditStore, 'look' | 'append'>, name: string, text: string): Promise<void> =>
  untilUncontested(async () => {
    const { stamp } = await store.look(name);
    await store.append(name, text, stamp);
  });

/** Tells all runs of a namespace, unless a notice has done so since `lostAt`, when the newest of what was lost had happened. */
export async function noticeRestore(
  ledger: Pick<ChangeLedger, 'notices' | 'notice'>,
  namespace: string,
  { why, lostAt }: { why: string; lostAt: string },
): Promise<void> {
  const newest = newestNotice(await ledger.notices(namespace));
  if (newest === undefined || newest.at <= lostAt) await ledger.notice(namespace, { at: new Date().toISOString(), why });
}

const noticesName = (namespace: string): string => `restores_${namespace}`;

async function reachable<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf('Unavailable', `keeping the ledger of changes ${name}: ${messageOf(error)}`, { cause: error });
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function ledgerLine(value: unknown): LedgerLine | undefined {
  const accepted = field(value, 'accepted');
  if (typeof accepted === 'string') return { accepted } satisfies AcceptedRestore;
  const [workflowId, runId, activity] = [field(value, 'workflowId'), field(value, 'runId'), field(value, 'activity')];
  const [seq, scheduledAtMs] = [field(value, 'seq'), field(value, 'scheduledAtMs')];
  if (typeof workflowId !== 'string' || typeof runId !== 'string' || typeof activity !== 'string') return undefined;
  if (typeof seq !== 'number' || typeof scheduledAtMs !== 'number') return undefined;
  return { workflowId, runId, activity, seq, scheduledAtMs } satisfies BegunChange;
}

function notice(value: unknown): RestoreNotice | undefined {
  const [at, why] = [field(value, 'at'), field(value, 'why')];
  return typeof at === 'string' && typeof why === 'string' ? { at, why } : undefined;
}
