/** What a rehearsal of a fleet prints: a line for each run of a cluster and each attempt of a ring. */
import type { RehearsalReport } from '../report.ts';
import type { FleetReport } from './options.ts';

type JudgedRun = Pick<RehearsalReport, 'cluster' | 'from' | 'to' | 'outcome' | 'worldSeconds'> & {
  expected?: string | undefined;
  problem?: string | undefined;
};

/** `headline`: the run's own words for its end. */
export function runLine({ cluster, from, to, outcome, worldSeconds, expected, problem }: JudgedRun, headline: string | undefined): string {
  const said = outcome === 'completed' || headline === undefined ? outcome : `${outcome} (${headline})`;
  const judged = problem ?? (expected === 'completed' ? 'nothing left behind' : 'as it should, and nothing left behind');
  return `${cluster}, ${from} → ${to}: ${said} in ${Math.round(worldSeconds / 60)} min; ${judged}`;
}

/** `outcomes`: of the last runs of those that have run; `of`: how many clusters the ring has. */
export function ringLine(
  { name, state, why }: { name: string; state: string; why?: string | undefined },
  outcomes: readonly string[],
  of: number,
): string {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const counted = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'none ended';
  const because = why === undefined ? '' : `: ${why}`;
  return `ring ${name}: ${counted} of ${of} ${of === 1 ? 'cluster' : 'clusters'}; ${state.replaceAll('-', ' ')}${because}`;
}

/** One sentence, and a line for each cluster with a problem; empty: there is none. */
export function problemsIn({ campaign, clusters }: Pick<FleetReport, 'campaign' | 'clusters'>): string {
  const lines = clusters.flatMap(({ cluster, problem }) => (problem === undefined ? [] : [`  ${cluster}: ${problem}`]));
  const sentences = [
    ...(campaign.state === 'complete' ? [] : [`The campaign ${campaign.name} is ${campaign.state}, not complete.`]),
    ...(lines.length === 0 ? [] : [`${lines.length} of ${clusters.length} clusters are not as they should be.`]),
  ];
  return [...sentences, ...lines].join('\n');
}
