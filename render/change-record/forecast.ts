/** Forecast and fact as rows: the text, the Markdown and the HTML of `belay report` show the same. */
import { count, duration, someOf, utcMinute } from '../../domain/core/text.ts';
import type { Compared, ForecastCompared } from '../../domain/run/forecasts/compare.ts';
import { countText, timeText } from '../../domain/run/forecasts/texts.ts';

export const FORECAST_TITLE = 'Forecast and fact';
export const FORECAST_COLUMNS = ['Step', 'Forecast', 'p90', 'Took, without gates', 'Verdict'] as const;

const NAMED = 10;

/** Label and value. */
export function forecastFacts({ snapshotTakenAt, another, total, blocked, nodes }: ForecastCompared): [string, string][] {
  const { foreseen, notForeseen, notBlocked, unnamedCount } = blocked;
  const of = another === undefined ? '' : `; of another plan (${another})`;
  return [
    ['Rehearsed on', `a snapshot of ${utcMinute(snapshotTakenAt)}${of}`],
    ...(total === undefined ? [] : [['Total', totalText(total)] satisfies [string, string]]),
    ['Nodes replaced', `${nodes.actual ?? 'not counted'}, forecast ${countText(nodes.forecast)}`],
    ['Blocked, as foreseen', someOrNone(foreseen)],
    [
      'Blocked, not foreseen',
      unnamedCount > 0 ? `unknown: the run's plan did not name ${count(unnamedCount, 'more pod')}` : someOrNone(notForeseen),
    ],
    ['Foreseen, did not block', someOrNone(notBlocked)],
  ];
}

export function forecastRows({ steps }: ForecastCompared): string[][] {
  return steps.map((step) => [
    step.title,
    duration(step.forecast.p50),
    duration(step.forecast.p90),
    duration(step.actualMs),
    verdictOf(step),
  ]);
}

function totalText(total: NonNullable<ForecastCompared['total']>): string {
  const { actualMs, waitedMs, forecast } = total;
  const waited = waitedMs === 0 ? '' : `, of which ${duration(waitedMs)} at gates`;
  return `${duration(actualMs)} from the first step on${waited}; forecast ${timeText(forecast)}, with assumed decisions: ${verdictOf(total)}`;
}

const verdictOf = ({ within }: Compared): string => (within ? 'within' : 'beyond');

const someOrNone = (names: readonly string[]): string => (names.length === 0 ? 'none' : someOf(names, NAMED));
