/** The rings of a campaign with the states of their clusters. */
import {
  type BoardMember,
  type BoardRing,
  type CampaignBoard,
  type CampaignForecast,
  finishAlarms,
  type MemberState,
  NEEDS_SOMEBODY,
  progressOf,
  statesOf,
} from '../../domain/run/fleet-view/board.ts';
import { count } from '../../domain/core/text.ts';
import { utcMinute } from '../../domain/facts/rollback-window.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { forecastPicture } from './html-gantt.ts';

/** Who needs somebody is named at once; all others are one press away. */
const NAMED = 10;

const STATES: Record<MemberState, string> = {
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
  excluded: 'excluded',
  removed: 'removed',
};

export interface CampaignOnPage {
  board: CampaignBoard;
  forecast?: CampaignForecast;
}

export function campaignSection({ board, forecast }: CampaignOnPage): string {
  const { name, target, state, rings, at, finishBy } = board;
  const alarms = finishAlarms(board, forecast).map((line) => `<p class="notice alarm">${text(line)}</p>`);
  return `<section class="campaign"><h2>Campaign ${text(name)} <small>→ ${text(target)}, ${text(state)}</small></h2>
<p class="about">As of ${text(utcMinute(at))}${finishBy === undefined ? '' : `, to finish by ${text(finishBy)}`}</p>
${alarms.join('')}<div class="rings">${rings.map(ringCard).join('')}</div>
${forecast === undefined ? '' : forecastPicture(forecast, board)}</section>`;
}

function ringCard({ name, state, note, soakUntil, members }: BoardRing): string {
  const states = statesOf(members);
  const { doneCount, allCount } = progressOf(members);
  const lines = [...(note === undefined ? [] : [note]), ...(soakUntil === undefined ? [] : [`Soaks until ${utcMinute(soakUntil)}`])];
  const bar = states.map(({ state: each, count: n }) => `<i class="${classOf(each)}" style="flex:${n}"></i>`);
  const counts = states.map(({ state: each, count: n }) => `<li class="${classOf(each)}"><b>${n}</b> ${STATES[each]}</li>`);
  return `<section class="ring"><h3>${text(name)}</h3><p>${doneCount} of ${allCount} done · ${text(state)}</p>${lines.map((line) => `<p class="area">${text(line)}</p>`).join('')}
<div class="bar" role="img" aria-label="${states.map(({ state: each, count: n }) => `${n} ${STATES[each]}`).join(', ') || 'no clusters'}">${bar.join('')}</div>
<ul class="states">${counts.join('')}</ul>${memberLists(members)}</section>`;
}

function memberLists(members: readonly BoardMember[]): string {
  if (members.length === 0) return '<p class="area">No clusters.</p>';
  const order = statesOf(members).map(({ state }) => state);
  const sorted = members.toSorted(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.cluster.name.localeCompare(b.cluster.name),
  );
  const named = sorted.filter(({ state }) => NEEDS_SOMEBODY.includes(state)).slice(0, NAMED);
  const needing = members.filter(({ state }) => NEEDS_SOMEBODY.includes(state)).length;
  const rest = needing > named.length ? `<li class="area">and ${needing - named.length} more</li>` : '';
  return `${named.length === 0 ? '' : `<ul class="members">${named.map(memberLine).join('')}${rest}</ul>`}<details><summary>All: ${count(members.length, 'cluster')}</summary><ul class="members">${sorted.map(memberLine).join('')}</ul></details>`;
}

function memberLine({ cluster, state, note }: BoardMember): string {
  const { name, account, region } = cluster;
  return `<li><b>${text(name)}</b> <span class="${classOf(state)}">${STATES[state]}</span>${note === undefined ? '' : `: ${text(note)}`}<small>${text(account)} · ${text(region)}</small></li>`;
}

/** "unknown" is a class of findings already. */
const classOf = (state: MemberState): string => (state === 'unknown' ? 'member-unknown' : state);
