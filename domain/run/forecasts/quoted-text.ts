/** What a plan says of its forecast, in words. */
import { ago, count } from '../../core/text.ts';
import type { PlanForecast, QuotedBlocker, QuotedForecast } from '../../plan/forecast/quoted.ts';
import { blockedBecause, timeText } from './texts.ts';

/** A cluster of a week ago is another one. */
export const OLD_SNAPSHOT_MS = 7 * 24 * 60 * 60_000;

/** In a line: "simulated on a snapshot from 2 hours ago: 3 h 10 min (p90 4 h 5 min), 2 nodes will be blocked". */
export function forecastLine(forecast: PlanForecast): string {
  if (forecast.kind === 'unread') return `could not read the forecast of this upgrade: ${forecast.why}`;
  const { ageMs, another, total, blockers, downtimes, limitCount } = forecast;
  const of = another === undefined ? 'simulated' : `forecast for another plan (${another}),`;
  const age = ageMs > OLD_SNAPSHOT_MS ? `an old snapshot, from ${ago(ageMs)}` : `a snapshot from ${ago(ageMs)}`;
  const parts = [
    timeText(total),
    blockers.nodeCount === 0 ? 'no node blocked' : `${count(blockers.nodeCount, 'node')} will be blocked`,
    ...(downtimes.count === 0 ? [] : [`${count(downtimes.count, 'workload')} will be down for a while`]),
    ...(limitCount === 0 ? [] : [count(limitCount, 'known limit')]),
  ];
  return `${of} on ${age}: ${parts.join(', ')}`;
}

/** What stands behind that line: who blocks, and what is down for how long. */
export function forecastDetails({ blockers, downtimes }: QuotedForecast): string[] {
  const [moreBlockers, moreDowntimes] = [blockers.count - blockers.pods.length, downtimes.count - downtimes.workloads.length];
  return [
    ...blockers.pods.map(blockerLine),
    ...(moreBlockers > 0 ? [`${count(moreBlockers, 'more pod')} will block nodes`] : []),
    ...downtimes.workloads.map(({ workload, team, down }) => `${workload}${teamOf(team)}: without a ready pod for ${timeText(down)}`),
    ...(moreDowntimes > 0 ? [`${count(moreDowntimes, 'more workload')} will be down for a while`] : []),
  ];
}

/** "Pod shop/web-0 of StatefulSet shop/web (shop) blocks ip-10-0-1-7: …" */
export function blockerLine({ pod, node, workload, team, reason, budgets }: QuotedBlocker): string {
  return `Pod ${pod}${workload === undefined ? '' : ` of ${workload}`}${teamOf(team)} blocks ${node.split('.')[0] ?? node}: ${blockedBecause({ reason, budgets })}`;
}

const teamOf = (team: string | undefined): string => (team === undefined ? '' : ` (${team})`);
