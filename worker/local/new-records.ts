/**
 * Records that have been added to their directory since the last look. A record is one file for each run, written once more where writing it is retried, so
 * each file is told once.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { field } from '../../domain/core/unknown.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { reportIn } from './read-records.ts';

/** Never throws: what cannot be read now is tried again. In the order of the files' names: cluster, then when the run began. */
export function newRecords(directory: string): () => Promise<UpgradeReport[]> {
  const seen = new Set<string>();
  return async () => {
    const fresh: UpgradeReport[] = [];
    // No directory yet: no run has ended.
    const files = await readdir(directory).catch(() => []);
    for (const file of files.filter((name) => name.endsWith('.json') && !seen.has(name)).toSorted()) {
      const report = await readFile(join(directory, file), 'utf8').then(parsed, () => undefined);
      if (report === undefined) continue;
      seen.add(file);
      if (report !== 'no record') fresh.push(report);
    }
    return fresh;
  };
}

/** Rollback points and used starts lie beside the records. */
function parsed(text: string): UpgradeReport | 'no record' {
  try {
    const report = reportIn(JSON.parse(text));
    return report !== undefined && Array.isArray(field(report.status, 'steps')) ? report : 'no record';
  } catch {
    return 'no record';
  }
}
