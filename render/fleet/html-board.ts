/** The rings of a campaign with the states of their clusters. */
import {
  type BoardMember,
  type BoardRing,
  type CampaignBoard,
  progressOf,
  soakText,
  statesOf,
  stateText,
} from '../../domain/run/fleet-view/board.ts';
import { boardAlarms } from '../../domain/run/fleet-view/board-alarms.ts';
import type { FleetCampaigns } from '../../domain/run/fleet-view/campaigns.ts';
import { agree, count, utcMinute } from '../../domain/core/text.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { forecastPicture } from './html-gantt.ts';

/** Who needs somebody is named at once; all others are one press away. */
const NAMED = 10;
/** Problems of one kind may be those of a thousand clusters. */
const PROBLEMS = 5;

const STATES: Record<BoardMember['state'], string> = {
  failed: 'failed',
  'rolled-back': 'rolled back',
  stuck: 'stuck',
  'needs-people': 'need you',
  unknown: 'unknown',
  held: 'held',
  waiting: 'waiting',
  running: 'running',
  planned: 'planned',
  done: 'done',
  ahead: 'ahead',
  removed: 'removed',
};

/** Boards, and by name each campaign that has none. */
export function campaignSections({ campaigns, unreadCampaigns, otherCampaigns }: FleetCampaigns): string {
  const unread = unreadCampaigns.map(({ name, why }) => `<p class="notice">${text(`Campaign ${name} could not be read: ${why}`)}</p>`);
  const others = otherCampaigns.map(({ name, why }) => `<li>Campaign ${text(name)}: ${text(why)}.</li>`);
  const rest =
    unread.length + others.length === 0
      ? ''
      : `<section>${campaigns.length === 0 ? '<h2>Campaigns</h2>' : '<h2>Other campaigns</h2>'}${unread.join('')}${others.length === 0 ? '' : `<ul class="about">${others.join('')}</ul>`}</section>`;
  return `${campaigns.map(campaignSection).join('')}${rest}`;
}

function campaignSection(board: CampaignBoard): string {
  const { name, target, state, headline, rings, gates, excluded, problems, forecast } = board;
  const { doneCount, allCount } = progressOf(rings.flatMap(({ members }) => members));
  const asks = gates.map(
    ({ id, title, expiresAt }) =>
      `<p class="notice">${text(title)} <span class="area">Decide by ${text(utcMinute(expiresAt))}: gate ${text(id)}, in its thread or by <code>belay campaign promote ${text(name)}</code></span></p>`,
  );
  return `<section class="campaign"><h2>Campaign ${text(name)} <small>→ ${text(target)}, ${text(stateText(state))}, ${doneCount} of ${allCount} done</small></h2>
<p>${text(headline)}</p><p class="about">${text(aboutText(board))}</p>
${alarmLines(board)}${problemLines(problems)}${asks.join('')}<div class="rings">${rings.map(ringCard).join('')}</div>
${excludedList(excluded)}${forecast === undefined ? '' : forecastPicture(board, forecast)}</section>`;
}

/** "As of 2026-11-26 08:30 UTC, its clusters as seen at 08:29, to finish by 2026-11-30" */
function aboutText({ from, at, lookedAt, finishBy }: CampaignBoard): string {
  const looked =
    from === 'configuration'
      ? ''
      : lookedAt === undefined
        ? ', clusters not looked at yet'
        : `, clusters as seen at ${utcMinute(lookedAt)}`;
  return `As of ${utcMinute(at)}${looked}${finishBy === undefined ? '' : `, to finish by ${finishBy}`}`;
}

const alarmLines = (board: CampaignBoard): string =>
  boardAlarms(board)
    .map((line) => `<p class="notice alarm">${text(line)}</p>`)
    .join('');

function problemLines(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  const more = problems.length - PROBLEMS;
  const lines = [...problems.slice(0, PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
  return `<div class="notice">It cannot start as it is:<ul>${lines.map((line) => `<li>${text(line)}</li>`).join('')}</ul></div>`;
}

function ringCard({ name, state, note, soak, members }: BoardRing): string {
  const states = statesOf(members);
  const { doneCount, allCount } = progressOf(members);
  const lines = [...(note === undefined ? [] : [note]), ...(soak === undefined ? [] : [soakText(soak)])];
  const bar = states.map(({ state: each, count: n }) => `<i class="${classOf(each)}" style="flex:${n}"></i>`);
  const counts = states.map(({ state: each, count: n }) => `<li class="${classOf(each)}"><b>${n}</b> ${STATES[each]}</li>`);
  return `<section class="ring ring-${state}"><h3>${text(name)}</h3><p>${doneCount} of ${allCount} done · <span class="ring-state">${text(stateText(state))}</span></p>${lines.map((line) => `<p class="area">${text(line)}</p>`).join('')}
<div class="bar" role="img" aria-label="${states.map(({ state: each, count: n }) => `${n} ${STATES[each]}`).join(', ') || 'no clusters'}">${bar.join('')}</div>
<ul class="states">${counts.join('')}</ul>${memberLists(members)}</section>`;
}

function memberLists(members: readonly BoardMember[]): string {
  if (members.length === 0) return '<p class="area">No clusters.</p>';
  const order = statesOf(members).map(({ state }) => state);
  const sorted = members.toSorted(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.cluster.name.localeCompare(b.cluster.name),
  );
  const needing = sorted.filter(({ needsPeople }) => needsPeople);
  const named = needing.slice(0, NAMED);
  const rest = needing.length > named.length ? `<li class="area">and ${needing.length - named.length} more</li>` : '';
  return `${named.length === 0 ? '' : `<ul class="members">${named.map(memberLine).join('')}${rest}</ul>`}<details><summary>All: ${count(members.length, 'cluster')}</summary><ul class="members">${sorted.map(memberLine).join('')}</ul></details>`;
}

function memberLine({ cluster, state, note }: BoardMember): string {
  const said = state === 'needs-people' ? 'needs you' : STATES[state];
  return `<li><b>${text(cluster.name)}</b> <span class="${classOf(state)}">${said}</span>${note === undefined ? '' : `: ${text(note)}`}${placeLine(cluster)}</li>`;
}

const placeLine = ({ account, region }: BoardMember['cluster']): string => `<small>${text(account)} · ${text(region)}</small>`;

function excludedList(excluded: CampaignBoard['excluded']): string {
  if (excluded.length === 0) return '';
  const lines = excluded.map(
    ({ cluster, reason, until }) =>
      `<li><b>${text(cluster.name)}</b>: ${text(reason)}${until === undefined ? '' : ` (until ${text(until)})`}${placeLine(cluster)}</li>`,
  );
  return `<details><summary>${count(excluded.length, 'cluster')} ${agree(excluded.length, 'is', 'are')} left out</summary><ul class="members">${lines.join('')}</ul></details>`;
}

/** "unknown" is a class of findings already. */
const classOf = (state: BoardMember['state']): string => (state === 'unknown' ? 'member-unknown' : state);
