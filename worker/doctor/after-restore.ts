/** What differs once Temporal's database was restored, or its namespace was lost: records say what has happened, clusters say what still holds. */
import proto from '@temporalio/proto';
import { createLeftoverActivities } from '../../activities/run/planning/leftovers.ts';
import { createRecordStore } from '../../activities/run/records/records.ts';
import type { RecordStorage } from '../../activities/contract/records.ts';
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import type { ServiceConnection } from '../../client/calls/worker-deployments.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { GRPC } from '../../client/calls/grpc-status.ts';
import { agree } from '../../domain/core/text.ts';
import { field } from '../../domain/core/unknown.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { type Leftover, leftoverWords } from '../../domain/run/leftovers.ts';
import { upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { codecKeys } from '../crypto/codec/keys.ts';
import { openClients } from '../config/clients.ts';
import { localPolicyOf } from '../config/settings.ts';
import { openStorage } from '../config/storage.ts';
import { auditFiles } from '../local/read-audit.ts';
import { type KeysMissing, orNobodys, whyKeysMissing } from '../releases/require-keys.ts';
import { connectTemporal, temporalSettings } from '../temporal/connection.ts';
import { type Diagnosis, said } from './types.ts';

const { WORKFLOW_EXECUTION_STATUS_RUNNING: RUNNING, WORKFLOW_EXECUTION_STATUS_PAUSED: PAUSED } =
  proto.temporal.api.enums.v1.WorkflowExecutionStatus;

/** A run as its audit record has it. */
export interface RecordedRun {
  cluster: ClusterRef;
  runId: string;
  /** Of the newest entry, ISO 8601. */
  lastAt: string;
  ended: boolean;
}

export type Known = 'open' | 'closed' | 'unknown';
/** Without `runId`: the newest execution. Rejects where Temporal cannot be asked. */
export type KnownOf = (workflowId: string, runId?: string) => Promise<Known>;

/** Throws TemporalUnreachableError; never for what it finds. */
export async function examineAfterRestore(config: Config, clusterNames: readonly string[], env = process.env): Promise<Diagnosis[]> {
  const settings = temporalSettings(config.temporal);
  const { namespace } = settings;
  const connection = await connectTemporal(settings);
  const clients = openClients(config, 'doctor');
  const storage = openStorage(config, env);
  try {
    const knownOf: KnownOf = (workflowId, runId) => askTemporal(connection, namespace, workflowId, runId);
    const missing = await whyKeysMissing(connection, namespace, codecKeys(env));
    const clusters = await Promise.all(clusterNames.map((name) => examineLeft(config, clients, storage, name, knownOf)));
    return [
      ...examineKeys(missing),
      ...(await examineRuns(config, storage, clusterNames, knownOf, connection, namespace)),
      ...clusters.flat(),
    ];
  } finally {
    storage.close();
    await clients.close();
    await connection.close();
  }
}

function examineKeys(missing: KeysMissing | undefined): Diagnosis[] {
  const area = 'Temporal';
  if (missing === undefined) return [{ area, status: 'ok', message: 'these keys can read what open runs have stored' }];
  const fix = `find the key where it was kept, and put it into BELAY_CODEC_KEYS; ${orNobodys(missing)}`;
  return [{ area, status: 'failed', message: missing.why, fix }];
}

async function examineRuns(
  config: Config,
  storage: RecordStorage,
  clusterNames: readonly string[],
  knownOf: KnownOf,
  connection: ServiceConnection,
  namespace: string,
): Promise<Diagnosis[]> {
  const area = 'Temporal';
  let runs: RecordedRun[];
  try {
    runs = await recordedRuns(config, storage, clusterNames);
  } catch (error) {
    return [{ area, status: 'unknown', message: said(error), fix: 'run it where the records are' }];
  }
  const { config: settings } = await connection.workflowService.describeNamespace({ namespace });
  const retentionMs = Number(settings?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000;
  const recent = runs.filter(({ lastAt }) => Date.parse(lastAt) + retentionMs > Date.now());
  return await judgeRuns(recent, knownOf);
}

/** `runs`: those that Temporal should still know. */
export async function judgeRuns(runs: readonly RecordedRun[], knownOf: KnownOf): Promise<Diagnosis[]> {
  const found = await Promise.all(runs.map(async (run) => judgeRun(run, await knownOf(upgradeWorkflowId(run.cluster), run.runId))));
  const differing = found.filter((each) => each !== undefined);
  if (differing.length > 0) return differing;
  return [
    {
      area: 'Temporal',
      status: 'ok',
      message: `it knows ${agree(runs.length, 'the recorded run, as its record describes it', `all ${runs.length} recorded runs, as their records describe them`)}`,
    },
  ];
}

function judgeRun({ cluster: { name }, runId, lastAt, ended }: RecordedRun, known: Known): Diagnosis | undefined {
  const area = 'Temporal';
  const run = `run ${runId} of ${name}`;
  if (known === 'unknown') {
    const did = ended ? `ended at ${lastAt} according to its record` : `was under way at ${lastAt}`;
    const fix = `read what it did: belay audit ${name}${ended ? '' : `; then have its changes restored, or guarded again: belay adopt ${name}`}`;
    return { area, status: 'failed', message: `${run} is not known to Temporal; it ${did}`, fix };
  }
  if (known === 'open' && ended) {
    const message = `${run} ended at ${lastAt} according to its record, but Temporal takes it for open`;
    return { area, status: 'failed', message, fix: `end it: belay abort ${name}; it asks before it changes anything` };
  }
  return undefined;
}

async function recordedRuns(config: Config, storage: RecordStorage, clusterNames: readonly string[]): Promise<RecordedRun[]> {
  return (await auditFiles(config, storage)).flatMap(({ entries }) => {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first?.cluster === undefined || last === undefined || !clusterNames.includes(first.cluster.name)) return [];
    return [{ cluster: first.cluster, runId: first.runId, lastAt: last.at, ended: last.kind === 'end' }];
  });
}

async function examineLeft(
  config: Config,
  clients: ClusterClients,
  storage: RecordStorage,
  name: string,
  knownOf: KnownOf,
): Promise<Diagnosis[]> {
  const { cluster } = policyOf(config, name);
  const store = createRecordStore(storage.texts);
  try {
    const localPolicy = (of: string): UpgradePolicy => localPolicyOf(config, of);
    const { leftovers, unseen } = await createLeftoverActivities({ ...clients, store, policyOf: localPolicy }).findLeftovers({ cluster });
    const blind = unseen.map(
      ({ what, why }): Diagnosis => ({ area: 'Kubernetes', status: 'unknown', message: `${name}: ${what} cannot be seen: ${why}` }),
    );
    const seen = await judgeLeft(cluster, leftovers, knownOf);
    // What cannot be seen is not well.
    return blind.length === 0 ? seen : [...seen.filter(({ status }) => status !== 'ok'), ...blind];
  } catch (error) {
    return [
      { area: 'Kubernetes', status: 'unknown', message: `${name}: ${said(error)}`, fix: `belay doctor ${name} says what is missing` },
    ];
  }
}

/** What a run holds is as it should be, as long as Temporal knows that run. */
export async function judgeLeft(cluster: ClusterRef, leftovers: readonly Leftover[], knownOf: KnownOf): Promise<Diagnosis[]> {
  const { name } = cluster;
  const area = 'Kubernetes';
  const found: Diagnosis[] = [];
  for (const leftover of leftovers) {
    const holder = leftover.kind === 'freeze' ? leftover.guard : upgradeWorkflowId(cluster);
    if ((await knownOf(holder)) === 'open') continue;
    found.push({ area, status: 'failed', message: `${name}: ${leftoverWords(leftover)}: nobody guards it`, fix: `belay adopt ${name}` });
  }
  return found.length > 0 ? found : [{ area, status: 'ok', message: `${name}: nothing of Belay's is unguarded` }];
}

async function askTemporal({ workflowService }: ServiceConnection, namespace: string, workflowId: string, runId?: string): Promise<Known> {
  try {
    const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId, runId } });
    const status = workflowExecutionInfo?.status;
    return status === RUNNING || status === PAUSED ? 'open' : 'closed';
  } catch (error) {
    if (field(error, 'code') === GRPC.notFound) return 'unknown';
    throw error;
  }
}
