/** The fleet for a terminal: a table that fits 100 columns, then what happens when, what waiting costs, and what was not seen. */
import pc from 'picocolors';
import { usd } from '../../domain/run/fleet-view/money.ts';
import type { FleetRow, FleetView, Outcome } from '../../domain/run/fleet-view/view.ts';
import { freezeText, runText, sourceTexts } from '../../render/fleet/texts.ts';
import { costTotal, nothingDue, notAllRead, openRuns, regionsNotListed, somethingDue } from '../messages/fleet.ts';
import { campaignLines } from './fleet-campaigns.ts';
import { cut, heading, table, wrapped } from './words.ts';
import { plain } from '../shared/controls.ts';

const COLUMNS = 100;
/** What the other columns leave of 100; JSON and CSV have names whole. */
const NAME = 18;
const ENVIRONMENT = 11;
const INDENT = '    ';

const MARKS: Record<Outcome, string> = { due: pc.red('✗'), unread: pc.yellow('?'), 'nothing-due': pc.green('✓') };

/** What has no part in whether something is due. */
const OF_TEMPORAL: Record<string, string | undefined> = { 'Open runs': pc.cyan('▶'), 'Kept freezes': pc.yellow('▮') };

/** `timeZone`: of the dates of campaigns. */
export function renderFleet(view: FleetView, timeZone = 'UTC'): string {
  const { clusters, counts, sources, readAt } = view;
  return [
    table(['CLUSTER', 'ACCOUNT', 'REGION', 'ENV', 'VERSION', 'SUPPORT', 'UNTIL', 'DAYS'], clusters.map(cells)),
    '',
    ...noted(
      'Needs action',
      clusters.filter(({ outcome }) => outcome === 'due'),
      ({ alarm }) => alarm?.text,
    ),
    ...noted(
      'Could not be read',
      clusters.filter(({ outcome }) => outcome === 'unread'),
      ({ why }) => why,
    ),
    ...regionLines(view),
    ...noted(
      'Open runs',
      clusters.filter(({ run }) => run !== undefined),
      ({ run }) => run && runText(run),
    ),
    ...noted(
      'Kept freezes',
      clusters.filter(({ keptFreeze }) => keptFreeze !== undefined),
      ({ keptFreeze }) => keptFreeze && freezeText(keptFreeze),
    ),
    ...campaignLines(view, timeZone),
    ...costLines(view),
    ...verdictLines(view),
    ...(counts.running > 0 ? [openRuns(counts.running, counts.waiting)] : []),
    ...sourceTexts(sources, readAt).flatMap((line) => wrapped(plain(line), '', COLUMNS).map((part) => pc.dim(part))),
  ].join('\n');
}

function cells({ name, account, region, environment = '-', version = '?', support, supportUntil = '-', daysLeft }: FleetRow): string[] {
  const left = daysLeft === undefined ? '-' : String(daysLeft);
  return [cut(name, NAME), account, region, cut(environment, ENVIRONMENT), version, support, supportUntil, left].map(plain);
}

function noted(title: string, rows: readonly FleetRow[], note: (row: FleetRow) => string | undefined): string[] {
  if (rows.length === 0) return [];
  const lines = rows.flatMap((row) => [
    `  ${OF_TEMPORAL[title] ?? MARKS[row.outcome]} ${pc.bold(row.name)}  ${pc.dim(`${row.account} ${row.region}`)}`,
    ...wrapped(plain(note(row) ?? ''), INDENT, COLUMNS),
  ]);
  return [heading(title), ...lines, ''];
}

function regionLines({ unreadRegions }: FleetView): string[] {
  if (unreadRegions.length === 0) return [];
  const lines = unreadRegions.flatMap(({ region, why }) => [
    `  ${MARKS.unread} ${pc.bold(region)}`,
    ...wrapped(plain(why), INDENT, COLUMNS),
  ]);
  return [heading('Regions whose clusters could not be listed'), ...lines, ''];
}

/** Only accounts in which waiting costs something. */
function costLines({ accounts, total, withinDays }: FleetView): string[] {
  const dear = accounts.filter(({ usdWithin, unknownCount }) => usdWithin > 0 || unknownCount > 0);
  if (dear.length === 0) return [];
  const unknownCount = accounts.reduce((all, each) => all + each.unknownCount, 0);
  const rows = dear.map((each) => [
    each.account,
    String(each.clusterCount),
    String(each.extendedCount),
    String(each.unknownCount),
    usd(each.usdPerDay),
    usd(each.usdWithin),
  ]);
  return [
    heading('Cost of waiting'),
    table(['ACCOUNT', 'CLUSTERS', 'EXTENDED', 'NOT KNOWN', 'A DAY', `${withinDays} DAYS`], rows),
    ...wrapped(costTotal(withinDays, { within: usd(total.usdWithin), perDay: usd(total.usdPerDay), unknownCount }), '', COLUMNS),
    '',
  ];
}

/** Clusters, and without belay.yaml regions, of which nothing is known. */
export const whatWasNotRead = ({ counts, unreadRegions }: Pick<FleetView, 'counts' | 'unreadRegions'>): string[] => [
  ...(counts.unread > 0 ? [notAllRead(counts.unread)] : []),
  ...(unreadRegions.length > 0 ? [regionsNotListed(unreadRegions.map(({ region }) => region))] : []),
];

/** What was not read is said beside what is due, and never as nothing due. */
export function verdictLines(view: FleetView): string[] {
  const { counts, outcome, withinDays } = view;
  return [
    ...(counts.due > 0 ? [pc.red(somethingDue(counts.due, withinDays))] : []),
    ...whatWasNotRead(view).map(pc.yellow),
    ...(outcome === 'nothing-due' ? [pc.green(nothingDue(counts.clusters, withinDays))] : []),
  ];
}
