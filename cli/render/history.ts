/** The upgrades of a cluster that have ended, as a table. */
import type { PastRun } from '../../domain/run/record/history.ts';
import { duration, utcMinute } from '../../domain/core/text.ts';
import { table } from './words.ts';
import { usualErrors } from '../../domain/run/forecasts/errors.ts';
import { forecastsOff, noHistory } from '../messages/views.ts';

export function renderHistory(runs: PastRun[]): string {
  if (runs.length === 0) return noHistory();
  const rows = runs.map((run) => [
    utcMinute(run.startedAt),
    `${run.from ?? '?'} → ${run.to}`,
    run.outcome,
    run.durationMs === undefined ? '-' : duration(run.durationMs),
    run.requestedBy,
    run.decidedBy.join(', ') || '-',
    run.headline,
  ]);
  const list = table(['STARTED', 'VERSIONS', 'OUTCOME', 'TOOK', 'REQUESTED BY', 'DECIDED BY', 'HOW IT ENDED'], rows);
  const errors = usualErrors(runs.map(({ forecast }) => forecast?.errors));
  return errors === undefined ? list : [list, '', errorsLine(errors)].join('\n');
}

function errorsLine({ runCount, total, phases }: NonNullable<ReturnType<typeof usualErrors>>): string {
  const by = Object.entries(phases).map(([phase, error]) => `${phase} ${percent(error)}`);
  return forecastsOff(runCount, total === undefined ? undefined : percent(total), by);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
