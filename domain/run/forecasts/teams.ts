/** A forecast by team: what each team's workloads go through, and what the team can do about it beforehand. */
import { compareText } from '../../core/text.ts';
import type { BlockerForecast, DowntimeForecast, Forecast, Spread, WorkloadRef } from '../../plan/forecast/types.ts';
import { NO_TEAM, teamOf } from './texts.ts';

export interface TeamForecast {
  team: string;
  blockers: BlockerForecast[];
  downtimes: DowntimeForecast[];
  evictions: { workload: WorkloadRef; count: Spread }[];
}

/** Those who have something to do first, then by name; what belongs to nobody is last. */
export function teamsOf({ blockers, downtimes, evictions }: Pick<Forecast, 'blockers' | 'downtimes' | 'evictions'>): TeamForecast[] {
  const teams = new Map<string, TeamForecast>();
  const of = (workload: WorkloadRef | undefined): TeamForecast => {
    const team = teamOf(workload);
    const known = teams.get(team) ?? { team, blockers: [], downtimes: [], evictions: [] };
    teams.set(team, known);
    return known;
  };
  for (const blocker of blockers) of(blocker.workload).blockers.push(blocker);
  for (const downtime of downtimes) of(downtime.workload).downtimes.push(downtime);
  for (const eviction of evictions) of(eviction.workload).evictions.push(eviction);
  const concerned = ({ blockers: pods, downtimes: down }: TeamForecast): number => pods.length + down.length;
  return [...teams.values()].toSorted(
    (a, b) => Number(a.team === NO_TEAM) - Number(b.team === NO_TEAM) || concerned(b) - concerned(a) || compareText(a.team, b.team),
  );
}
