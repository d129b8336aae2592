/** The record of a run: one JSON file, written whole or not at all. Temporal forgets after its retention; this stays. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../domain/unknown.ts';
import type { PeopleActivities } from './contract.ts';
import type { RecordStore } from './ports.ts';
import { redact } from './redact.ts';
import { failureOf } from './translate-errors.ts';

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
  };
}

/** Retries write the same name: the record of a run is one file. */
export function createRecordActivities({ store }: { store: RecordStore }): Pick<PeopleActivities, 'writeRecord'> {
  return {
    async writeRecord({ cluster, report, plan }) {
      const started = report.status.startedAt.replace(/[:.]/g, '-');
      const name = [cluster.account, cluster.region, cluster.name, started, report.status.runId].join('_');
      return store.write(name, redact(JSON.stringify({ format: 1, report, plan }, null, 2)));
    },
  };
}

/** What a file may be called. */
export function fileName(name: string): string {
  return name.replace(/[^\w.-]/g, '-').slice(0, 200);
}
