/** Forecasts side by side for a terminal. */
import pc from 'picocolors';
import { comparisonRows, type Comparison, differences } from '../../domain/run/forecasts/comparison.ts';
import { renderForecast } from './forecast.ts';
import { renderViolations } from './plan.ts';
import { heading, table } from './words.ts';

/** A table of all, what only some have, why some have no plan; then each forecast in full. */
export function renderComparison(comparison: Comparison, options: { columns?: number } = {}): string {
  const { by, variants } = comparison;
  const rows = comparisonRows(comparison).map(({ what, cells }) => [what, ...cells]);
  const only = differences(comparison);
  return [
    heading(`By ${by}`),
    table(['', ...variants.map(({ label }) => label)], rows),
    ...(only.length === 0 ? [] : ['', ...only.map((line) => `${pc.yellow('!')} ${line}`)]),
    ...variants.flatMap((variant) => [
      '',
      heading(`── ${by} ${variant.label}`),
      'forecast' in variant ? renderForecast(variant.forecast, options) : renderViolations(variant.refused),
    ]),
  ].join('\n');
}
