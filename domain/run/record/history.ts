/** One line per upgrade that has ended. */
import { defined } from '../../core/defined.ts';
import type { ForecastCompared } from '../forecasts/compare.ts';
import { errorsOf, type ForecastErrors } from '../forecasts/errors.ts';
import type { UpgradeReport } from './status.ts';
import { actorName } from '../../gates/actor.ts';

export interface PastRun {
  from?: string;
  to: string;
  outcome: UpgradeReport['outcome'];
  headline: string;
  requestedBy: string;
  /** ISO 8601 */
  startedAt: string;
  endedAt?: string;
  durationMs?: number;
  /** Who decided, each person once. */
  decidedBy: string[];
  notRestoredCount: number;
  /** Absent where no forecast was made. `errors` absent: another plan was played. */
  forecast?: { within?: boolean; p50Ms?: number; p90Ms?: number; errors?: ForecastErrors };
}

export function pastRun({ status, outcome, decisions, leftBehind }: UpgradeReport, compared?: ForecastCompared): PastRun {
  const { from, to, headline, requestedBy, startedAt, endedAt } = status;
  const deciders = decisions.flatMap((state) => (state.kind === 'decided' ? [actorName(state.decision.actor)] : []));
  return {
    from,
    to,
    outcome,
    headline,
    requestedBy: actorName(requestedBy),
    startedAt,
    endedAt,
    durationMs: endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(startedAt),
    decidedBy: [...new Set(deciders)],
    notRestoredCount: leftBehind.filter(({ kept }) => !kept).length,
    ...(compared === undefined ? {} : { forecast: forecastOf(compared) }),
  };
}

function forecastOf(compared: ForecastCompared): NonNullable<PastRun['forecast']> {
  const { total } = compared;
  const { p50: p50Ms, p90: p90Ms } = total?.forecast ?? {};
  return defined({ within: total?.within, p50Ms, p90Ms, errors: errorsOf(compared) });
}
