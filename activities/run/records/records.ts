/** The record of a run: one JSON text, written whole or not at all. Temporal forgets after its retention; this stays. */
import { channel } from 'node:diagnostics_channel';
import { field } from '../../../domain/core/unknown.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { RecordStore, TextStore } from '../../contract/records.ts';
import { redactedJson } from '../../runtime/redact.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { STARTS } from '../authorization/start-ledger.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { compareForecast } from '../../../domain/run/forecasts/compare.ts';
import type { RecordedUpgrade } from '../../../domain/policy/environments.ts';
import { RUN_RECORDED } from '../../../domain/run/record/recorded-run.ts';
import { fileName } from './file-name.ts';
import { eachOf } from './storage/each-of.ts';

export function createRecordStore(texts: TextStore): RecordStore {
  const find: RecordStore['find'] = async (name) => {
    const found = await texts.read(fileName(name));
    return found && { json: parsed(found.text), stamp: found.stamp, location: found.location };
  };
  return {
    find,

    async read(name) {
      return (await find(name))?.json;
    },

    async write(name, json, onlyIf) {
      return await texts.write(fileName(name), json, onlyIf);
    },

    async upgradesOf(cluster) {
      const names = await recordNames(texts, cluster);
      if (names === undefined) throw failureOf('NotFound', 'reading records: there is no such directory');
      const found = await eachOf(names, (name) => texts.read(name));
      return found.flatMap((each) => (each === undefined ? [] : completed(field(JSON.parse(each.text), 'report'), cluster)));
    },

    async newest(limit, cluster) {
      // Before the first run has ended there is no directory.
      const names = (await recordNames(texts, cluster)) ?? [];
      const records: unknown[] = [];
      // One after the other: only what is asked of each stays in memory.
      for (const name of newestFirst(names).slice(0, limit)) records.push((await find(name))?.json);
      return records.filter((record) => record !== undefined);
    },
  };
}

/** Names of change records, of one cluster alone where it is named; undefined: there is no such directory. Those of a cluster whose name begins alike are among them. */
export async function recordNames(texts: TextStore, cluster?: ClusterRef): Promise<string[] | undefined> {
  const prefix = cluster === undefined ? '' : fileName(`${nameOf(cluster)}_`);
  const names = await texts.list(prefix);
  return names?.filter((name) => !NO_RECORDS.some((other) => name.startsWith(other)));
}

export const newestFirst = (names: readonly string[]): string[] => names.toSorted((a, b) => startOf(b).localeCompare(startOf(a)));

/** When the run began. */
const startOf = (name: string): string => /_(\d{4}-\d\d-\d\dT[\d-]+Z)_/.exec(name)?.[1] ?? '';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names of clusters may begin alike, so the record itself says whose it is. */
function completed(report: unknown, cluster: ClusterRef): RecordedUpgrade[] {
  const status = field(report, 'status');
  const [from, to, endedAt] = [field(status, 'from'), field(status, 'to'), field(status, 'endedAt')];
  // A run that undid a step has brought the cluster to no version.
  const isMeant =
    field(report, 'outcome') === 'completed' &&
    field(status, 'undoes') === undefined &&
    field(field(status, 'cluster'), 'name') === cluster.name;
  return isMeant && typeof to === 'string' && typeof endedAt === 'string'
    ? [{ to, endedAt, ...(typeof from === 'string' ? { from } : {}) }]
    : [];
}

const nameOf = ({ account, region, name }: ClusterRef): string => [account, region, name].join('_');

/** Rollback points lie beside the records, and are none. */
const POINT = 'rollback-point_';
/** Forecasts, too (forecasts.ts). */
export const FORECAST = 'forecast_';
/** The doctor's, too. */
const NO_RECORDS = [POINT, STARTS, FORECAST, 'doctor'];

/** Retries write the same name, as below. */
export function pointName(cluster: ClusterRef, { runId, startedAt }: { runId: string; startedAt: string }): string {
  return `${POINT}${[nameOf(cluster), startedAt.replace(/[:.]/g, '-'), runId].join('_')}`;
}

const recorded = channel(RUN_RECORDED);

/** Retries write the same name: the record of a run is one file. */
export function createRecordActivities({ store }: { store: RecordStore }): Pick<PeopleActivities, 'writeRecord'> {
  return {
    async writeRecord({ cluster, report, plan, asked, forecast: foreseen }) {
      const started = report.status.startedAt.replace(/[:.]/g, '-');
      const name = [nameOf(cluster), started, report.status.runId].join('_');
      const forecast = foreseen === undefined || plan === undefined ? undefined : compareForecast(foreseen, report, plan);
      const json = redactedJson({ format: 1, report, plan, asked, forecast }, 2);
      const first = recorded.hasSubscribers ? await firstWrite(store, name, json) : undefined;
      if (first === undefined) return store.write(name, json);
      recorded.publish(report);
      return first;
    },
  };
}

/** undefined: the record was there, or that cannot be said, as where no such condition can be asked for. It is then written as if nobody listened. */
async function firstWrite(store: RecordStore, name: string, json: string): Promise<{ location: string } | undefined> {
  try {
    return await store.write(name, json, 'absent');
  } catch {
    return undefined;
  }
}
