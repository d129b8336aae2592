/** The record of a run: one JSON file, written whole or not at all. Temporal forgets after its retention; this stays. */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { RecordStore } from '../../contract/ports.ts';
import { redactedJson } from '../../runtime/redact.ts';
import { STARTS } from '../authorization/start-ledger.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/** Records as files of a directory, which is made when missing. */
export function createDirectoryStore(directory: string): RecordStore {
  return {
    async write(name, json) {
      const path = resolve(join(directory, `${fileName(name)}.json`));
      const draft = `${path}.${process.pid}.tmp`;
      try {
        await mkdir(directory, { recursive: true });
        const file = await open(draft, 'w', 0o640);
        try {
          await file.writeFile(json);
          // On the disk before it gets its name: a crash leaves the old record or the new one.
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {});
        throw failureOf('Unavailable', `writing the record ${path}: ${messageOf(error)}; make records.directory in belay.yaml writable`, {
          cause: error,
        });
      }
      return { location: path };
    },

    async upgradesOf(cluster) {
      const files = await filesOf(directory, cluster);
      const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
      return texts.flatMap((text) => completed(field(JSON.parse(text), 'report'), cluster));
    },

    async newest(limit, cluster) {
      const files = (await filesOf(directory, cluster).catch(none)).sort((a, b) => startOf(b).localeCompare(startOf(a))).slice(0, limit);
      const records: unknown[] = [];
      // One after the other: only what is asked of each stays in memory.
      for (const file of files) records.push(parsed(await readFile(join(directory, file), 'utf8')));
      return records.filter((record) => record !== undefined);
    },

    async read(name) {
      try {
        return parsed(await readFile(join(directory, `${fileName(name)}.json`), 'utf8'));
      } catch (error) {
        if (field(error, 'code') === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

async function filesOf(directory: string, cluster?: ClusterRef): Promise<string[]> {
  const prefix = cluster === undefined ? '' : fileName(`${nameOf(cluster)}_`);
  return (await readdir(directory)).filter(
    (file) => file.startsWith(prefix) && file.endsWith('.json') && !NO_RECORDS.some((prefix) => file.startsWith(prefix)),
  );
}

/** Before the first run has ended there is no directory. */
function none(error: unknown): string[] {
  if (field(error, 'code') === 'ENOENT') return [];
  throw error;
}

/** As in the file's name: when the run began. */
const startOf = (file: string): string => /_(\d{4}-\d\d-\d\dT[\d-]+Z)_/.exec(file)?.[1] ?? '';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names of clusters may begin alike, so the record itself says whose it is. */
function completed(report: unknown, cluster: ClusterRef): { to: string; endedAt: string }[] {
  const status = field(report, 'status');
  const [to, endedAt] = [field(status, 'to'), field(status, 'endedAt')];
  // A run that undid a step has brought the cluster to no version.
  const isMeant =
    field(report, 'outcome') === 'completed' &&
    field(status, 'undoes') === undefined &&
    field(field(status, 'cluster'), 'name') === cluster.name;
  return isMeant && typeof to === 'string' && typeof endedAt === 'string' ? [{ to, endedAt }] : [];
}

const nameOf = ({ account, region, name }: ClusterRef): string => [account, region, name].join('_');

/** Rollback points lie beside the records, and are none. */
const POINT = 'rollback-point_';
const NO_RECORDS = [POINT, STARTS];

/** Retries write the same name, as below. */
export function pointName(cluster: ClusterRef, { runId, startedAt }: { runId: string; startedAt: string }): string {
  return `${POINT}${[nameOf(cluster), startedAt.replace(/[:.]/g, '-'), runId].join('_')}`;
}

/** Retries write the same name: the record of a run is one file. */
export function createRecordActivities({ store }: { store: RecordStore }): Pick<PeopleActivities, 'writeRecord'> {
  return {
    async writeRecord({ cluster, report, plan, asked }) {
      const started = report.status.startedAt.replace(/[:.]/g, '-');
      const name = [nameOf(cluster), started, report.status.runId].join('_');
      return store.write(name, redactedJson({ format: 1, report, plan, asked }, 2));
    },
  };
}

/** What a file may be called. */
export function fileName(name: string): string {
  return name.replace(/[^\w.-]/g, '-').slice(0, 200);
}
