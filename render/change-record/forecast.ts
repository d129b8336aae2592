/** Forecast and fact as rows: the text, the Markdown and the HTML of `belay report` show the same. */
import { count, duration, someOf } from '../../domain/core/text.ts';
import { utcMinute } from '../../domain/facts/rollback-window.ts';
import type { Compared, ForecastCompared } from '../../domain/run/forecasts/compare.ts';

export const FORECAST_TITLE = 'Forecast and fact';
export const FORECAST_COLUMNS = ['Step', 'Forecast', 'p90', 'Took', 'Verdict'] as const;

const NAMED = 10;

/** Label and value. */
export function forecastFacts({ snapshotTakenAt, another, total, blocked, nodes }: ForecastCompared): [string, string][] {
  const { foreseen, notForeseen, notBlocked, unnamedCount } = blocked;
  const of = another === undefined ? '' : `; of another plan (${another})`;
  const { p50, p90 } = nodes.forecast;
  return [
    ['Rehearsed on', `a snapshot of ${utcMinute(snapshotTakenAt)}${of}`],
    ...(total === undefined ? [] : [['Total', comparedText(total)] satisfies [string, string]]),
    ['Nodes replaced', `${nodes.actual ?? 'not counted'}, forecast ${p50 === p90 ? p50 : `${p50} (p90 ${p90})`}`],
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

const comparedText = (of: Compared): string =>
  `${duration(of.actualMs)}, forecast ${duration(of.forecast.p50)} (p90 ${duration(of.forecast.p90)}): ${verdictOf(of)}`;

const verdictOf = ({ within }: Compared): string => (within ? 'within' : 'beyond');

const someOrNone = (names: readonly string[]): string => (names.length === 0 ? 'none' : someOf(names, NAMED));
