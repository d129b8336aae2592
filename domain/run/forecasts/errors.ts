/** How far off forecasts were, by phase: what their next reader may expect of them. */
import { ALL_PHASES, type PhaseId } from '../../core/phases.ts';
import type { Spread } from '../../plan/forecast/types.ts';
import type { ForecastCompared } from './compare.ts';
import { OTHER_DETAILS } from './quote.ts';

/** Of one run: |actual − p50| / actual; 0.1 is a tenth. `total`: of all its steps together, so that people count for nothing. A phase of several hops has one, the mean. */
export interface ForecastErrors {
  total?: number;
  phases: Partial<Record<PhaseId, number>>;
}

/** undefined: other steps were played, so the error is not the forecast's. */
export function errorsOf({ another, steps }: ForecastCompared): ForecastErrors | undefined {
  if (another !== undefined && another !== OTHER_DETAILS) return undefined;
  const phases: ForecastErrors['phases'] = {};
  for (const phase of ALL_PHASES) {
    const errors = steps.filter((step) => step.phase === phase).flatMap(errorOf);
    if (errors.length > 0) phases[phase] = sum(errors) / errors.length;
  }
  const [total] = errorOf({
    forecast: { p50: sum(steps.map(({ forecast }) => forecast.p50)) },
    actualMs: sum(steps.map(({ actualMs }) => actualMs)),
  });
  return { ...(total === undefined ? {} : { total }), phases };
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

const errorOf = ({ forecast, actualMs }: { forecast: Pick<Spread, 'p50'>; actualMs: number }): number[] =>
  actualMs > 0 ? [Math.abs(actualMs - forecast.p50) / actualMs] : [];

/** The newest runs that had one: what was learnt since makes the next ones better. */
const NEWEST = 10;

/** Medians over runs, the newest first. undefined: none had a forecast. */
export function usualErrors(runs: readonly (ForecastErrors | undefined)[]): (ForecastErrors & { runCount: number }) | undefined {
  const known = runs.filter((run) => run !== undefined).slice(0, NEWEST);
  if (known.length === 0) return undefined;
  const phases: ForecastErrors['phases'] = {};
  for (const phase of ALL_PHASES) {
    const middle = median(known.flatMap((run) => run.phases[phase] ?? []));
    if (middle !== undefined) phases[phase] = middle;
  }
  const total = median(known.flatMap((run) => run.total ?? []));
  return { runCount: known.length, ...(total === undefined ? {} : { total }), phases };
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
