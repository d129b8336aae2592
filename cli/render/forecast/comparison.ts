/** Forecasts side by side for a terminal: what is not known, a table of all, what only some have, and why some have no plan. */
import pc from 'picocolors';
import { capital } from '../../../domain/core/text.ts';
import { comparisonRows, type Comparison, differences } from '../../../domain/run/forecasts/comparison.ts';
import { sourceText } from '../../../domain/run/forecasts/texts.ts';
import { oneInFull } from '../../messages/views.ts';
import { limitLines } from './text.ts';
import { renderViolations } from '../plan.ts';
import { heading, table } from '../words.ts';
import { plain, withoutControls } from '../../shared/controls.ts';

export function renderComparison(given: Comparison, options: { columns?: number } = {}): string {
  const comparison = withoutControls(given, plain);
  const { by, variants } = comparison;
  const forecasts = variants.flatMap((variant) => ('forecast' in variant ? [variant.forecast] : []));
  const [first] = forecasts;
  const limits = [...new Set(forecasts.flatMap((forecast) => forecast.limits))];
  const only = differences(comparison);
  return [
    ...(first === undefined
      ? []
      : [
          heading(`${first.cluster.name} (${first.cluster.account}, ${first.cluster.region}): ${first.from} → ${first.to}`),
          pc.dim(capital(sourceText(first))),
        ]),
    ...limitLines({ limits }, options.columns),
    '',
    table(
      [by, ...variants.map(({ label }) => label)],
      comparisonRows(comparison).map(({ what, cells }) => [what, ...cells]),
    ),
    ...(only.length === 0 ? [] : ['', ...only.map((line) => `${pc.yellow('!')} ${line}`)]),
    ...variants.flatMap((variant) =>
      'refused' in variant ? ['', heading(`${by} ${variant.label}`), renderViolations(variant.refused)] : [],
    ),
    ...(first === undefined ? [] : ['', pc.dim(oneInFull(by))]),
  ].join('\n');
}
