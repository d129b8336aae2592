/** Forecast and fact of a run as text. */
import type { ForecastCompared } from '../../../domain/run/forecasts/compare.ts';
import { FORECAST_COLUMNS, FORECAST_TITLE, forecastFacts, forecastRows } from '../../../render/change-record/forecast.ts';
import { heading, table } from '../words.ts';

export function renderCompared(compared: ForecastCompared): string[] {
  const rows = forecastRows(compared);
  return [
    heading(FORECAST_TITLE),
    ...forecastFacts(compared).map(([label, value]) => `  ${label}: ${value}`),
    ...(rows.length === 0
      ? []
      : table(
          FORECAST_COLUMNS.map((column) => column.toUpperCase()),
          rows,
        )
          .split('\n')
          .map((line) => `  ${line}`)),
  ];
}
