/** A forecast, or several side by side, as one HTML file that loads nothing. */
import { capital, count, duration, utcMinute } from '../../domain/core/text.ts';
import type { Forecast, Spread } from '../../domain/plan/forecast/types.ts';
import { comparisonRows, type Comparison, differences, type Variant } from '../../domain/run/forecasts/comparison.ts';
import { isLikely, nodesReplacedIn } from '../../domain/run/forecasts/stored.ts';
import { moneyText, sourceText, wayText } from '../../domain/run/forecasts/texts.ts';
import { STYLE } from '../page/html-assets.ts';
import { htmlPage } from '../page/html-page.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { FORECAST_STYLE } from './assets.ts';
import { calibrationSection, nodeSection, stepSection } from './details.ts';
import { ganttPicture } from './gantt.ts';
import { nodesPicture } from './nodes.ts';
import { blockerSection, downtimeSection, gateSection, teamSection } from './people.ts';
import { section } from './markup.ts';

export function renderForecastHtml(forecast: Forecast): string {
  const body = `<header>
${title(forecast)}
${about(forecast)}
${numbers(forecast)}
</header>
<main>
${limitSection(forecast)}
${ganttPicture(forecast)}
${nodesPicture(forecast)}
${blockerSection(forecast)}
${downtimeSection(forecast)}
${gateSection(forecast)}
${teamSection(forecast)}
${stepSection(forecast)}
${nodeSection(forecast)}
${calibrationSection(forecast)}
<p class="about">Plan <span class="code">${text(forecast.planHash)}</span></p>
</main>`;
  return page(forecast, body);
}

/** A table of all, then the pictures of each one below the other on one time axis. */
export function renderComparisonHtml(comparison: Comparison): string {
  const { by, variants } = comparison;
  const [first] = variants.flatMap((variant) => ('forecast' in variant ? [variant.forecast] : []));
  const rows = comparisonRows(comparison).map(
    ({ what, cells }) => `<tr><th scope="row">${text(what)}</th>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`,
  );
  const heads = variants.map(({ label }) => `<th scope="col">${text(label)}</th>`).join('');
  const only = differences(comparison);
  const untilMs = Math.max(0, ...variants.flatMap((variant) => ('forecast' in variant ? [variant.forecast.total.p90] : [])));
  const body = `<header>
${first === undefined ? '<h1>Forecast</h1>' : `${title(first)}${about(first, false)}`}
</header>
<main>
<section><h2>By ${text(by)}</h2><div class="scroll"><table class="compared"><thead><tr><th></th>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table></div>
${only.length === 0 ? '' : `<ul>${only.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`}</section>
${variants.map((variant) => variantSection(variant, by, untilMs)).join('')}
</main>`;
  return page(first, body);
}

function variantSection(variant: Variant, by: string, untilMs: number): string {
  const name = `${by} ${variant.label}`;
  if ('refused' in variant) {
    const lines = variant.refused.map(({ message, remedy }) => `<li>${text(message)}<p class="do">${text(remedy)}</p></li>`);
    return section(name, `<p>No plan satisfies all rules.</p><ul>${lines.join('')}</ul>`);
  }
  const { forecast } = variant;
  const body = `${numbers(forecast)}${limitSection(forecast)}${ganttPicture(forecast, untilMs)}${nodesPicture(forecast, untilMs)}${blockerSection(forecast)}${downtimeSection(forecast)}${gateSection(forecast)}`;
  return `<section><h2>${text(name)}</h2>${body}</section>`;
}

function page(forecast: Forecast | undefined, body: string): string {
  const name = forecast === undefined ? 'Forecast' : `Forecast: ${forecast.cluster.name} ${forecast.from} → ${forecast.to}`;
  return htmlPage({ title: name, style: `${STYLE}${FORECAST_STYLE}`, body });
}

const title = ({ cluster, from, to }: Forecast): string =>
  `<h1>${text(cluster.name)} ${text(from)} → ${text(to)} <small>${text(`${cluster.account}, ${cluster.region}`)}</small></h1>`;

function about(forecast: Forecast, withWay = true): string {
  const taken = `taken ${utcMinute(forecast.snapshotTakenAt)}`;
  return `<p class="about">${text([...(withWay ? [capital(wayText(forecast))] : []), capital(sourceText(forecast)), taken].join(' · '))}</p>`;
}

function numbers(forecast: Forecast): string {
  const { total, gates, peak, surge } = forecast;
  // What is rarer is in the tables alone.
  const [blockers, downtimes] = [forecast.blockers.filter(isLikely), forecast.downtimes.filter(isLikely)];
  const nodes = new Set(blockers.map(({ node }) => node)).size;
  const number = (value: string, what: string, kind = ''): string => `<li class="${kind}"><b>${text(value)}</b> ${text(what)}</li>`;
  const spread = ({ p50, p90 }: Spread, what: string, say: (value: number) => string): string =>
    number(say(p50), say(p50) === say(p90) ? what : `${what}, p90 ${say(p90)}`);
  const many = (n: number, one: string, others: string): string => (n === 1 ? one : others);
  return `<ul class="numbers">${[
    spread(total, 'in all', duration),
    spread(nodesReplacedIn(forecast), 'nodes replaced', String),
    number(
      String(blockers.length),
      blockers.length === 0 ? 'pods block a node' : `${many(blockers.length, 'pod blocks', 'pods block')} ${count(nodes, 'node')}`,
      blockers.length > 0 ? 'bad' : '',
    ),
    number(String(downtimes.length), many(downtimes.length, 'workload goes down', 'workloads go down'), downtimes.length > 0 ? 'warn' : ''),
    number(String(gates.length), many(gates.length, 'gate', 'gates')),
    spread(peak.extraNodes, 'extra nodes at the peak', String),
    surge.cost === undefined
      ? number('?', 'for extra nodes: a price is not known')
      : spread(surge.cost, 'for extra nodes', (cost) => moneyText(cost, surge.currency)),
  ].join('')}</ul>`;
}

/** Before all that rests on it. */
function limitSection({ limits }: Forecast): string {
  if (limits.length === 0) return '';
  const items = limits.map((limit) => `<li>${text(limit)}</li>`);
  return `<section class="limits"><h2>Not known, or not simulated</h2><ul>${items.join('')}</ul></section>`;
}
