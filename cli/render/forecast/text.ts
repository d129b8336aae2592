/** A forecast for a terminal: how long and what is not known, then what needs people, then the rest. */
import pc from 'picocolors';
import { capital, count, duration, someOf } from '../../../domain/core/text.ts';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import {
  BASES,
  blockedBecause,
  countText,
  downBecause,
  gateText,
  outcomeText,
  ownerText,
  peakText,
  shareText,
  shortText,
  sourceText,
  surgeText,
  teamOf,
  timeText,
  wayText,
  workloadText,
} from '../../../domain/run/forecasts/texts.ts';
import { moreInJson } from '../../messages/views.ts';
import { heading, table, wrapped } from '../words.ts';
import { plain, withoutControls } from '../../shared/controls.ts';

/** Of each list; --format json and html have them all. */
const SHOWN = 12;

/** `columns`: of the terminal, to break long sentences at. */
export function renderForecast(given: Forecast, { columns }: { columns?: number } = {}): string {
  const forecast = withoutControls(given, plain);
  const { cluster, from, to, planHash } = forecast;
  const lines = [
    heading(`${cluster.name} (${cluster.account}, ${cluster.region}): ${from} → ${to}, ${wayText(forecast)}`),
    `${pc.bold(timeText(forecast.total))}: ${outcomeText(forecast)}`,
    pc.dim(capital(sourceText(forecast))),
    ...limitLines(forecast, columns),
    ...blockerLines(forecast),
    ...downtimeLines(forecast),
    ...gateLines(forecast),
    ...section('Steps', stepTable(forecast)),
    ...section(
      'Nodes replaced',
      forecast.nodesReplaced.map((replaced) => `  ${ownerText(replaced)}: ${countText(replaced.count)}`),
    ),
    ...peakLines(forecast),
    ...evictionLines(forecast),
    ...calibrationLines(forecast),
    '',
    pc.dim(`Plan ${planHash}`),
  ];
  return lines.join('\n');
}

const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', heading(title), ...lines]);

/** The first few of a list, and how many more there are. */
function first<T>(all: readonly T[], shown: (one: T) => string[]): string[] {
  const more = all.length - SHOWN;
  return [...all.slice(0, SHOWN).flatMap(shown), ...(more > 0 ? [`  ${moreInJson(more)}`] : [])];
}

/** Before anything that rests on it. */
export function limitLines({ limits }: Pick<Forecast, 'limits'>, columns: number | undefined): string[] {
  const lines = first(limits, (limit) => {
    const [head = '', ...rest] = wrapped(limit, '    ', columns === undefined ? undefined : columns - 1);
    return [`  ${pc.yellow('?')} ${head.trimStart()}`, ...rest];
  });
  return section('Not known, or not simulated', lines);
}

function blockerLines({ blockers, runs }: Forecast): string[] {
  const lines = first(blockers, (blocker) => {
    const { pod, node, workload, share } = blocker;
    const whose = workload === undefined ? 'no controller' : `${workloadText(workload)}, ${teamOf(workload)}`;
    return [
      `  ${pc.red('✗')} ${pod.namespace}/${pod.name} (${whose}): ${blockedBecause(blocker)}`,
      `    ${pc.dim(`on ${node}, ${shareText(share, runs)}`)}`,
    ];
  });
  return section('Blocks a node', lines);
}

function downtimeLines({ downtimes, runs }: Forecast): string[] {
  const lines = first(downtimes, (downtime) => {
    const { workload, down, share } = downtime;
    return [
      `  ${pc.yellow('!')} ${workloadText(workload)} (${teamOf(workload)}): ${timeText(down)}, as ${downBecause(downtime)} ${pc.dim(`(${shareText(share, runs)})`)}`,
    ];
  });
  return section('Down for a while', lines);
}

function gateLines({ gates, runs }: Forecast): string[] {
  const lines = first(gates, (gate) => [
    `  ${pc.yellow('◆')} ${gate.title} ${pc.dim(`(${gate.step})`)}: ${gate.why}`,
    `    ${pc.dim(gateText(gate, runs))}`,
  ]);
  return section('Asks people', lines);
}

function stepTable({ steps }: Forecast): string[] {
  if (steps.length === 0) return [];
  const rows = steps.map(({ title, startsAfter, takes, basis }) => [`+${duration(startsAfter.p50)}`, timeText(takes), title, BASES[basis]]);
  return table(['begins', 'takes', 'step', 'length from'], rows)
    .split('\n')
    .map((line) => `  ${line}`);
}

function peakLines({ peak, surge }: Forecast): string[] {
  return section('At the peak, in addition to what runs now', [
    `  ${peakText(peak)}`,
    ...peak.shortOfAddresses.map((short) => `  ${pc.red('✗')} ${shortText(short)}`),
    `  ${capital(surgeText(surge))}`,
  ]);
}

function evictionLines({ evictions }: Forecast): string[] {
  const most = evictions.toSorted((a, b) => b.count.p50 - a.count.p50);
  return section(
    'Evicted',
    first(most, ({ workload, count: times }) => [`  ${workloadText(workload)}: ${countText(times, 'pod')}`]),
  );
}

/** Lengths that nobody has measured here come last: they are all alike. */
function calibrationLines({ calibration }: Forecast): string[] {
  const measured = calibration.filter(({ basis }) => basis !== 'reports');
  const reported = calibration.filter(({ basis }) => basis === 'reports');
  const lines = first(measured, ({ what, basis, medianMs, count: times }) => [
    `  ${what}: ${duration(medianMs)}, ${BASES[basis]}${times === 0 ? '' : ` (${count(times, 'measurement')})`}`,
  ]);
  const rest = reported.length === 0 ? [] : [`  From ${BASES.reports}: ${someOf(reported.map(({ what }) => what))}`];
  return section('Lengths', [...lines, ...rest]);
}
