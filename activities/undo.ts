/** The way back of single steps: facts of now, and what the last run has recorded of itself. */
import type { ClusterFacts, ClusterRef } from '../domain/facts.ts';
import { type LastRun, lastRun, type RecordedRun } from '../domain/plan/undo/last-run.ts';
import { planUndo, type UndoOption, undoOptions } from '../domain/plan/undo/plan-undo.ts';
import type { UndoSeen } from '../domain/plan/undo/way.ts';
import type { PlanResult } from '../domain/plan/types.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import { imagesWanted } from '../domain/plan/undo/class-terms.ts';
import { isPoint, type RollbackPointRecord } from '../domain/rollback-point.ts';
import { field, messageOf } from '../domain/unknown.ts';
import type { AwsClients } from './clients/aws.ts';
import type { AccountClients } from './clients/aws-account.ts';
import { readRollbackWindow } from './eks/rollback-window.ts';
import { isPastUpgrade } from './expectations.ts';
import { readImages } from './images.ts';
import type { KubernetesPort, RecordStore } from './ports.ts';
import { see } from './readiness/seen.ts';
import { pointName } from './records.ts';
import { failureOf } from './translate-errors.ts';

/** The last run that has changed something is among so many: runs that were refused leave records, too. */
const RECORDS = 30;

interface Asked {
  store: Pick<RecordStore, 'newest' | 'read'>;
  facts: ClusterFacts;
  policy: UpgradePolicy;
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
}

export async function planUndoOf(asked: Asked, step: string): Promise<PlanResult> {
  return planUndo(asked.facts, await look(asked), step, asked.policy);
}

export async function undoOptionsOf(asked: Asked): Promise<UndoOption[]> {
  return undoOptions(asked.facts, await look(asked), asked.policy);
}

/** Each is asked for one step alone: where it cannot be read, that one is refused. */
async function look({ store, facts, aws, account, kubernetes }: Asked): Promise<UndoSeen> {
  const { cluster } = facts;
  const run = await readLastRun(store, cluster);
  const window = await see('reading what EKS takes back', () => readRollbackWindow(aws, { cluster }), 'unknown');
  const point = run === undefined ? undefined : await readPoint(store, cluster, run);
  const wanted = run === undefined ? undefined : imagesWanted(run);
  const images = wanted === undefined ? undefined : await readImages(account, kubernetes, { ...wanted, minor: facts.controlPlane.version });
  return {
    run,
    ...(window.ok ? { back: window.value.back } : {}),
    ...(point === undefined ? {} : { point }),
    ...(images === undefined ? {} : { images }),
  };
}

/** Without it the plan's record says what was, but for what only the objects have said. */
async function readPoint(store: Pick<RecordStore, 'read'>, cluster: ClusterRef, run: LastRun): Promise<RollbackPointRecord | undefined> {
  const read = await see('reading the rollback point', () => store.read(pointName(cluster, run)), 'unknown');
  return read.ok && isPoint(read.value) ? read.value : undefined;
}

/** What cannot be read is no "there was none". */
async function readLastRun(store: Pick<RecordStore, 'newest'>, cluster: ClusterRef): Promise<LastRun | undefined> {
  try {
    return lastRun((await store.newest(RECORDS, cluster)).filter(isRecordedRun).filter((record) => isOf(record, cluster)));
  } catch (error) {
    throw failureOf('Unavailable', `reading the record of the last run of ${cluster.name}: ${messageOf(error)}`, { cause: error });
  }
}

function isRecordedRun(json: unknown): json is RecordedRun {
  return isPastUpgrade(json) && typeof field(json.report.status, 'startedAt') === 'string';
}

/** Names of clusters may begin alike, so the record itself says whose it is. */
function isOf(record: RecordedRun, { name, account, region }: ClusterRef): boolean {
  const cluster = field(record.report.status, 'cluster');
  return field(cluster, 'name') === name && field(cluster, 'account') === account && field(cluster, 'region') === region;
}
