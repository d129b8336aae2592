/** Records that have been added since the last look. A record is one text for each run, written once more where writing it is retried, so each is told once. */
import type { TextStore } from '../../activities/contract/records.ts';
import { recordNames } from '../../activities/run/records/records.ts';
import { field } from '../../domain/core/unknown.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { reportIn } from './read-records.ts';

/** Never throws: what cannot be read now is tried again. In the order of their names: cluster, then when the run began. */
export function newRecords(texts: TextStore): () => Promise<UpgradeReport[]> {
  const seen = new Set<string>();
  return async () => {
    const fresh: UpgradeReport[] = [];
    // No directory yet: no run has ended.
    const names = (await recordNames(texts).catch(() => undefined)) ?? [];
    for (const name of names.filter((each) => !seen.has(each)).toSorted()) {
      const found = await texts.read(name).catch(() => undefined);
      if (found === undefined) continue;
      seen.add(name);
      const report = parsed(found.text);
      if (report !== 'no record') fresh.push(report);
    }
    return fresh;
  };
}

function parsed(text: string): UpgradeReport | 'no record' {
  try {
    const report = reportIn(JSON.parse(text));
    return report !== undefined && Array.isArray(field(report.status, 'steps')) ? report : 'no record';
  } catch {
    return 'no record';
  }
}
