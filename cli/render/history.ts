/** The upgrades of a cluster that have ended, as a table. */
import type { PastRun } from '../../domain/run/record/history.ts';
import { duration } from '../../domain/core/text.ts';
import { table } from './words.ts';
import { noHistory } from '../messages/views.ts';

export function renderHistory(runs: PastRun[]): string {
  if (runs.length === 0) return noHistory();
  const rows = runs.map((run) => [
    run.startedAt,
    `${run.from ?? '?'} → ${run.to}`,
    run.outcome,
    run.durationMs === undefined ? '-' : duration(run.durationMs),
    run.requestedBy,
    run.decidedBy.join(', ') || '-',
    run.headline,
  ]);
  return table(['STARTED', 'VERSIONS', 'OUTCOME', 'TOOK', 'REQUESTED BY', 'DECIDED BY', 'HOW IT ENDED'], rows);
}
