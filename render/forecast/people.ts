/** What needs people: pods that block nodes, workloads that go down, gates; all of it, and by team. */
import type { BlockerForecast, DowntimeForecast, Forecast } from '../../domain/plan/forecast/types.ts';
import { type TeamForecast, teamsOf } from '../../domain/run/forecasts/teams.ts';
import {
  blockedBecause,
  countText,
  downBecause,
  gateText,
  NO_TEAM,
  shareText,
  teamOf,
  timeText,
  workloadText,
} from '../../domain/run/forecasts/texts.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { folded, section, withSmall, wordTable } from './markup.ts';

const SHOWN = 50;
/** In each team's own table. */
const SHOWN_BY_TEAM = 15;

const blockerRow = (runs: number) => (blocker: BlockerForecast) => {
  const { pod, workload, node, share } = blocker;
  return [
    withSmall(`${pod.namespace}/${pod.name}`, workload === undefined ? 'no controller' : workloadText(workload)),
    text(blockedBecause(blocker)),
    withSmall(node, shareText(share, runs)),
    text(teamOf(workload)),
  ];
};

const downtimeRow = (runs: number) => (downtime: DowntimeForecast) => [
  text(workloadText(downtime.workload)),
  text(timeText(downtime.down)),
  withSmall(downBecause(downtime), shareText(downtime.share, runs)),
  text(teamOf(downtime.workload)),
];

const BLOCKERS = ['Pod', 'Why', 'Node', 'Team'];
const DOWNTIMES = ['Workload', 'Down for', 'Why', 'Team'];

export function blockerSection({ blockers, runs }: Forecast): string {
  if (blockers.length === 0) return section('Blocks a node', '<p>No pod does, as far as could be seen.</p>');
  return section('Blocks a node', folded(blockers.map(blockerRow(runs)), BLOCKERS, { shown: SHOWN, what: 'pods' }));
}

export function downtimeSection({ downtimes, runs }: Forecast): string {
  if (downtimes.length === 0) return section('Goes down for a while', '<p>No workload does, as far as could be seen.</p>');
  return section(
    'Goes down for a while',
    folded(downtimes.map(downtimeRow(runs)), DOWNTIMES, { shown: SHOWN, what: 'workloads' }),
    'Without a ready pod, over the whole upgrade.',
  );
}

export function gateSection({ gates, runs }: Forecast): string {
  const rows = gates.map((gate) => [withSmall(gate.title, gate.step), text(gate.why), text(gateText(gate, runs))]);
  return rows.length === 0 ? '' : section('Asks people', wordTable(['Gate', 'Why', 'How often'], rows));
}

/** One card for each team, with an address of its own: it can be sent to the team. */
export function teamSection(forecast: Forecast): string {
  const teams = teamsOf(forecast);
  if (teams.length === 0) return '';
  const links = teams.map(({ team }, index) => `<a href="#${anchorOf(team, index)}">${text(team)}</a>`);
  const cards = teams.map((team, index) => card(team, anchorOf(team.team, index), forecast.runs));
  return section(
    'By team',
    `<nav aria-label="Teams">${links.join('')}</nav>${cards.join('')}`,
    'By ownership labels. Each heading is a link that can be sent.',
  );
}

/** A name may have any letters, and two may have the same of those that an address takes. */
const anchorOf = (team: string, index: number): string =>
  `team-${index + 1}${
    team === NO_TEAM
      ? ''
      : `-${team
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .slice(0, 40)}`
  }`;

function card({ team, blockers, downtimes, evictions }: TeamForecast, anchor: string, runs: number): string {
  const shown = { shown: SHOWN_BY_TEAM };
  const withoutTeam = (cells: string[]): string[] => cells.slice(0, -1);
  const evicted = evictions.map(({ workload, count }): string[] => [text(workloadText(workload)), text(countText(count, 'pod'))]);
  return `<article class="team" id="${anchor}"><h3><a href="#${anchor}">${text(team)}</a></h3>
${blockers.length + downtimes.length === 0 ? '<p class="good">Nothing to do: its pods move without downtime.</p>' : ''}
${blockers.length === 0 ? '' : folded(blockers.map(blockerRow(runs)).map(withoutTeam), ['Blocks a node', 'Why', 'Node'], { ...shown, what: 'pods' })}
${downtimes.length === 0 ? '' : folded(downtimes.map(downtimeRow(runs)).map(withoutTeam), ['Goes down', 'Down for', 'Why'], { ...shown, what: 'workloads' })}
${evicted.length === 0 ? '' : `<details><summary>${evicted.length} of its workloads ${evicted.length === 1 ? 'has' : 'have'} pods evicted</summary>${folded(evicted, ['Workload', 'Evicted'], { shown: SHOWN, what: 'workloads' })}</details>`}
</article>`;
}
