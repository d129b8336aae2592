/** What a rehearsal of a fleet prints: a line for each cluster and each ring. */
import type { FleetReport, MemberReport } from './options.ts';

/** `headline`: the run's own words for its end. */
export function memberLine(report: MemberReport, headline: string | undefined): string {
  const { cluster, from, to, outcome, worldSeconds, problem } = report;
  const said = outcome === 'completed' || headline === undefined ? outcome : `${outcome} (${headline})`;
  const judged = problem ?? (report.expected === 'completed' ? 'nothing left behind' : 'as it should, and nothing left behind');
  return `${cluster}, ${from} → ${to}: ${said} in ${Math.round(worldSeconds / 60)} min; ${judged}`;
}

export function ringLine(name: string, reports: readonly MemberReport[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of reports) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const outcomes = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `ring ${name}: ${outcomes} of ${reports.length} ${reports.length === 1 ? 'cluster' : 'clusters'}`;
}

/** One sentence, and a line for each cluster with a problem; empty: there is none. */
export function problemsIn({ clusters }: Pick<FleetReport, 'clusters'>): string {
  const lines = clusters.flatMap(({ cluster, problem }) => (problem === undefined ? [] : [`  ${cluster}: ${problem}`]));
  return lines.length === 0 ? '' : [`${lines.length} of ${clusters.length} clusters are not as they should be.`, ...lines].join('\n');
}
