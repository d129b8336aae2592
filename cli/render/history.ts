/** The upgrades of a cluster that have ended, as a table. */
import type { PastRun } from '../../domain/run/record/history.ts';
import { duration } from '../../domain/core/text.ts';
import { table } from './words.ts';

export function renderHistory(runs: PastRun[]): string {
  if (runs.length === 0) return 'No upgrade of this cluster has ended yet, as far as records say.';
  const rows = runs.map((run) => [
    run.startedAt,
    `${run.from ?? '?'} → ${run.to}`,
    run.outcome,
    run.durationMs === undefined ? '-' : duration(run.durationMs),
    run.requestedBy,
    run.decidedBy.join(', ') || '-',
    run.headline,
  ]);
  return table(['STARTED', 'VERSIONS', 'OUTCOME', 'TOOK', 'ASKED FOR BY', 'DECIDED BY', 'HOW IT ENDED'], rows);
}
