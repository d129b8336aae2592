/** The clusters of a fleet as a table with filters, and what waiting costs by account. */
import { usd } from '../../domain/run/fleet-view/money.ts';
import type { FleetRow, FleetView, Outcome } from '../../domain/run/fleet-view/view.ts';
import { escapeMarkup as text } from '../page/markup.ts';
import { campaignText, daysText, runText, freezeText } from './texts.ts';

export const OUTCOMES: Record<Outcome, string> = { due: 'needs action', unread: 'could not be read', 'nothing-due': 'nothing due' };

export function clusterTable({ clusters, withinDays }: FleetView): string {
  const head = ['Cluster', 'Environment', 'Version', 'Support', 'Upgrade policy'];
  const columns = [...head.map((name) => `<th scope="col">${name}</th>`), `<th scope="col" class="number">${withinDays} days cost</th>`];
  return `${filters(clusters)}
<div class="scroll"><table class="fleet" id="clusters"><thead><tr>${columns.join('')}<th scope="col">What happens</th></tr></thead><tbody>${clusters.map((cluster) => row(cluster, withinDays)).join('')}</tbody></table></div>`;
}

function row(cluster: FleetRow, withinDays: number): string {
  const { name, account, region, environment = '', version = '', outcome, support, supportUntil, supportType, cost } = cluster;
  const data = { outcome, environment, account, region, version };
  const attributes = Object.entries(data).map(([key, value]) => ` data-${key}="${text(value)}"`);
  const until = supportUntil === undefined ? '' : `<small>until ${text(supportUntil)}${daysText(cluster)}</small>`;
  // The labels are for phones, where there is no head.
  const cells = [
    `<th scope="row">${text(name)}<small>${text(account)} · ${text(region)}</small></th>`,
    `<td>${text(environment)}</td>`,
    `<td>${text(version === '' ? '?' : version)}</td>`,
    `<td>${support}${until}</td>`,
    `<td data-label="Policy">${supportType ?? '?'}</td>`,
    `<td class="number" data-label="${withinDays} days cost">${cost === undefined ? '?' : usd(cost.usdWithin)}</td>`,
    `<td><span class="${outcome}">${OUTCOMES[outcome]}</span>${notes(cluster)}</td>`,
  ];
  return `<tr${attributes.join('')}>${cells.join('')}</tr>`;
}

function notes({ why, alarm, run, keptFreeze, campaign }: FleetRow): string {
  const lines = [
    ...(why === undefined ? [] : [why]),
    ...(alarm === undefined ? [] : [alarm.text]),
    ...(run === undefined ? [] : [runText(run)]),
    ...(keptFreeze === undefined ? [] : [freezeText(keptFreeze)]),
    ...(campaign === undefined ? [] : [campaignText(campaign)]),
  ];
  return lines.map((line) => `<small>${text(line)}</small>`).join('');
}

/** Shown by the script, without which they would do nothing. */
function filters(rows: readonly FleetRow[]): string {
  const of = (name: 'environment' | 'account' | 'region' | 'version'): string => {
    const values = [...new Set(rows.flatMap((each) => each[name] ?? []))].toSorted();
    return select(
      name,
      values.map((value) => [value, value]),
    );
  };
  const outcomes = [...new Set(rows.map(({ outcome }) => outcome))].map((outcome): [string, string] => [outcome, OUTCOMES[outcome]]);
  return `<form id="filters" role="search" hidden>${select('outcome', outcomes)}${of('environment')}${of('account')}${of('region')}${of('version')}<label>Words <input type="search" name="words" placeholder="name, reason"></label><output id="shown"></output></form>`;
}

/** One value is no choice. */
function select(name: string, values: readonly [string, string][]): string {
  if (values.length < 2) return '';
  const options = values.map(([value, label]) => `<option value="${text(value)}">${text(label)}</option>`).join('');
  return `<label>${name.charAt(0).toUpperCase()}${name.slice(1)} <select name="${name}"><option value="">all</option>${options}</select></label>`;
}

export function costTable({ accounts, total, withinDays }: FleetView): string {
  const number = (cell: string | number): string => `<td class="number">${cell}</td>`;
  const rows = accounts.map(
    (each) =>
      `<tr><th scope="row">${text(each.account)}</th>${[usd(each.usdWithin), usd(each.usdPerDay), each.clusterCount, each.extendedCount, each.unknownCount].map(number).join('')}</tr>`,
  );
  const head = [`Waiting ${withinDays} days`, 'A day now', 'Clusters', 'In extended support', 'Not known'];
  return `<div class="scroll"><table class="fleet"><thead><tr><th scope="col">Account</th>${head.map((name) => `<th scope="col" class="number">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody><tfoot><tr><th scope="row">All</th>${number(usd(total.usdWithin))}${number(usd(total.usdPerDay))}<td></td><td></td><td></td></tr></tfoot></table></div>`;
}
