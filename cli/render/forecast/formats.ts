/** A forecast, or several side by side, in the format that was asked for. Loaded only by who shows one: pages are much code. */
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import type { Comparison } from '../../../domain/run/forecasts/comparison.ts';
import { renderComparisonHtml, renderForecastHtml } from '../../../render/forecast/html.ts';
import { renderComparisonJson, renderForecastJson } from '../../../render/forecast/json.ts';
import { renderComparison } from './comparison.ts';
import { renderForecast } from './text.ts';

export interface Shape {
  format: 'text' | 'json' | 'html';
  /** Of the terminal; absent: lines as long as they are. */
  columns?: number;
}

export function render(forecast: Forecast, { format, ...text }: Shape): string {
  if (format === 'json') return renderForecastJson(forecast);
  return format === 'html' ? renderForecastHtml(forecast) : renderForecast(forecast, text);
}

export function renderAll(comparison: Comparison, { format, ...text }: Shape): string {
  if (format === 'json') return renderComparisonJson(comparison);
  return format === 'html' ? renderComparisonHtml(comparison) : renderComparison(comparison, text);
}
