/** Reads the records that runs have left where belay.yaml says. */
import { newestFirst, recordNames } from '../../activities/run/records/records.ts';
import { eachOf } from '../../activities/run/records/storage/each-of.ts';
import type { RecordStorage } from '../../activities/contract/records.ts';
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { ConfigError } from '../../domain/policy/config/base/errors.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import { comparedIn, type ForecastCompared } from '../../domain/run/forecasts/compare.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { defined } from '../../domain/core/defined.ts';
import { field } from '../../domain/core/unknown.ts';
import { openStorage, storageField } from '../config/storage.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

interface FoundRecord {
  report: UpgradeReport;
  /** What the run asked others to change. */
  asked: AskedChange[];
  /** Absent where the run ended before it had one. */
  plan?: UpgradePlan;
  /** Forecast and fact; absent where no forecast was made. */
  forecast?: ForecastCompared;
  /** The whole record. */
  json: unknown;
}

/** Opens where records are, for as long as `work` takes. */
export async function withStorage<T>(config: Config, work: (storage: RecordStorage) => Promise<T>): Promise<T> {
  const storage = openStorage(config);
  try {
    return await work(storage);
  } finally {
    storage.close();
  }
}

/** The newest record of a cluster. Throws an error that names the place where there is none. */
export async function lastRecord(config: Config, storage: RecordStorage, cluster: ClusterRef): Promise<FoundRecord> {
  const [record] = await readNewest(storage, cluster, 1);
  if (record !== undefined) return record;
  const message = `${storage.where} has no record of ${cluster.name}; a run writes one when it ends, where its worker runs`;
  throw new ConfigError(config.fileName, [{ path: storageField(config), message }]);
}

/** The records of a cluster, the newest first; none where there is no such directory. Throws where they cannot be read. */
export async function recordsOf(storage: RecordStorage, cluster: ClusterRef): Promise<FoundRecord[]> {
  return await readNewest(storage, cluster, Number.POSITIVE_INFINITY);
}

async function readNewest({ texts }: RecordStorage, cluster: ClusterRef, limit: number): Promise<FoundRecord[]> {
  const names = newestFirst((await recordNames(texts, cluster)) ?? []);
  const found: FoundRecord[] = [];
  for (const batch of batches(names, limit)) {
    const records = await eachOf(batch, async (name) => parse((await texts.read(name))?.text ?? ''));
    found.push(...records.flatMap((json) => recordIn(json, cluster)));
    if (found.length >= limit) break;
  }
  return found;
}

/** One by one where one is wanted: the newest is mostly the one. */
function batches(names: string[], limit: number): string[][] {
  return limit === 1 ? names.map((name) => [name]) : [names];
}

/** Names of clusters may begin alike, so the record itself says whose it is. */
function recordIn(json: unknown, cluster: ClusterRef): FoundRecord[] {
  const report = reportIn(json);
  const of = report?.status.cluster;
  const isIts = of?.name === cluster.name && of.account === cluster.account && of.region === cluster.region;
  if (report === undefined || !isIts) return [];
  const forecast = comparedIn(json);
  return [{ report, asked: askedIn(json), plan: field(json, 'plan') as UpgradePlan | undefined, ...defined({ forecast }), json }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Records are written by us; a file of another kind is passed over. */
export function reportIn(json: unknown): UpgradeReport | undefined {
  const report = field(json, 'report') ?? json;
  return isReport(report) ? report : undefined;
}

function askedIn(json: unknown): AskedChange[] {
  const asked = field(json, 'asked');
  return Array.isArray(asked) ? asked.filter(isAsked) : [];
}

function isAsked(value: unknown): value is AskedChange {
  return ['step', 'component', 'name', 'version', 'managedBy', 'at', 'text'].every((key) => typeof field(value, key) === 'string');
}

function isReport(value: unknown): value is UpgradeReport {
  return (
    typeof field(value, 'outcome') === 'string' &&
    typeof field(field(field(value, 'status'), 'cluster'), 'name') === 'string' &&
    Array.isArray(field(value, 'decisions'))
  );
}
