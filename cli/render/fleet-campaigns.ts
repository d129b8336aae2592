/** Campaigns of the fleet for a terminal: a table of rings with their forecast, then who needs somebody, and what would help. */
import pc from 'picocolors';
import {
  bestText,
  type BoardMember,
  type BoardRing,
  type CampaignBoard,
  costText,
  progressOf,
  soakText,
  statesOf,
  stateText,
  supportEndText,
} from '../../domain/run/fleet-view/board.ts';
import { boardAlarms } from '../../domain/run/fleet-view/board-alarms.ts';
import type { FleetCampaigns } from '../../domain/run/fleet-view/campaigns.ts';
import { utcMinute } from '../../domain/core/text.ts';
import { forecastRests } from '../../render/fleet/texts.ts';
import { campaignUnread } from '../messages/fleet.ts';
import { cut, heading, table, wrapped } from './words.ts';
import { plain } from '../shared/controls.ts';
import { localMinute } from '../shared/local-time.ts';

const COLUMNS = 100;
const INDENT = '    ';
/** Longer names are cut in the table; JSON and CSV have them whole. */
const NAME = 20;
/** Who needs somebody, of each ring; the rest is counted. */
const NAMED = 10;
const PROBLEMS = 5;

/** `timeZone`: IANA name, of the times in the table; others are in UTC, which the terminal's own replaces. */
export function campaignLines({ campaigns, unreadCampaigns, otherCampaigns }: FleetCampaigns, timeZone: string): string[] {
  const rest = [
    ...unreadCampaigns.flatMap(({ name, why }) => marked(pc.yellow('?'), campaignUnread(name, why))),
    ...otherCampaigns.flatMap(({ name, why }) => marked(pc.dim('·'), `${name}: ${why}`)),
  ];
  if (campaigns.length + rest.length === 0) return [];
  return [heading('Campaigns'), ...campaigns.flatMap((board) => boardLines(board, timeZone)), ...(rest.length === 0 ? [] : [...rest, ''])];
}

function boardLines(board: CampaignBoard, timeZone: string): string[] {
  const { name, target, state, headline, rings, gates, excluded, problems, forecast, finishBy } = board;
  const { doneCount, allCount } = progressOf(rings.flatMap(({ members }) => members));
  const said = `${doneCount} of ${allCount} done${finishBy === undefined ? '' : `; due by ${finishBy}`}`;
  return [
    `  ${pc.cyan('▶')} ${pc.bold(plain(name))}  ${pc.dim(plain(`→ ${target}, ${stateText(state)}, ${said}`))}`,
    ...inset(headline),
    ...boardAlarms(board).flatMap((line) => inset(line, pc.red)),
    ...some(problems, PROBLEMS).flatMap((line) => inset(line, pc.yellow)),
    ...gates.flatMap(({ id, title, expiresAt }) =>
      inset(`Waiting for approval: ${title} Decide by ${utcMinute(expiresAt)} (gate ${id}).`, pc.yellow),
    ),
    ...table(
      ['RING', 'STATE', 'DONE', `FROM (${timeZone})`, 'UNTIL', 'SOAKS UNTIL'],
      rings.map((ring) => ringCells(ring, board, timeZone)),
    )
      .split('\n')
      .map((line) => `${INDENT}${line}`),
    ...rings.flatMap(ringLines),
    ...(excluded.length === 0
      ? []
      : inset(
          `Left out: ${some(
            excluded.map(({ cluster, reason }) => `${cluster.name} (${reason})`),
            NAMED,
          ).join(', ')}`,
        )),
    ...(forecast === undefined ? [] : forecastLines(board, forecast)),
    '',
  ];
}

function ringCells({ name, state, members }: BoardRing, { forecast }: CampaignBoard, timeZone: string): string[] {
  const { doneCount, allCount } = progressOf(members);
  const { from, until, soakUntil } = forecast?.rings.find((ring) => ring.name === name) ?? {};
  const day = (iso: string | undefined): string => (iso === undefined ? '-' : localMinute(Date.parse(iso), timeZone));
  return [cut(name, NAME), stateText(state), `${doneCount}/${allCount}`, day(from), day(until), day(soakUntil)].map(plain);
}

function ringLines({ name, note, soak, members }: BoardRing): string[] {
  const counts = statesOf(members).filter(({ state }) => state !== 'done' && state !== 'planned');
  const said = [
    ...counts.map(({ state, count }) => `${count} ${stateText(state)}`),
    ...(soak === undefined ? [] : [soakText(soak)]),
    ...(note === undefined ? [] : [note]),
  ];
  const needing = members.filter(({ needsPeople }) => needsPeople).map(memberText);
  return [
    ...(said.length === 0 ? [] : inset(`${name}: ${said.join(' · ')}`)),
    ...some(needing, NAMED).flatMap((line) => wrapped(plain(line), `${INDENT}  `, COLUMNS)),
  ];
}

const memberText = ({ cluster, state, note }: BoardMember): string =>
  `${cluster.name} (${cluster.account}, ${cluster.region}) ${stateText(state)}${note === undefined ? '' : `: ${note}`}`;

function forecastLines(board: CampaignBoard, { support, costs, best }: NonNullable<CampaignBoard['forecast']>): string[] {
  return [
    ...support.flatMap((end) => inset(`${supportEndText(end, board.at)}.`)),
    ...costs.flatMap((cost) => inset(`Account ${costText(cost)}.`)),
    ...(best === undefined ? [] : inset(`To finish sooner: ${bestText(best)}.`)),
    ...inset(forecastRests(board), pc.dim),
  ];
}

/** As many as are read; the rest is counted. */
const some = (lines: readonly string[], most: number): string[] =>
  lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : [...lines];

const inset = (line: string, colour: (text: string) => string = (text) => text): string[] =>
  wrapped(plain(line), INDENT, COLUMNS).map(colour);

const marked = (mark: string, line: string): string[] =>
  wrapped(plain(line), INDENT, COLUMNS).map((part, index) => (index === 0 ? `  ${mark} ${part.trimStart()}` : part));
