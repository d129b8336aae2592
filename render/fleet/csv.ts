/** The fleet as CSV (RFC 4180), a row for each cluster, for spreadsheets. */
import { type Cell, csvRows } from '../../domain/core/csv.ts';
import { areCampaignsKnown, type FleetRow, type FleetView } from '../../domain/run/fleet-view/view.ts';

/** In the order of the columns. */
const COLUMNS: readonly [string, (row: FleetRow, view: FleetView) => Cell][] = [
  ['account', (row) => row.account],
  ['region', (row) => row.region],
  ['cluster', (row) => row.name],
  ['environment', (row) => row.environment],
  ['version', (row) => row.version],
  ['outcome', (row) => row.outcome],
  ['support', (row) => row.support],
  ['support_until', (row) => row.supportUntil],
  ['days_left', (row) => row.daysLeft],
  ['upgrade_policy', (row) => row.supportType],
  ['usd_per_day', (row) => row.cost?.usdPerDay],
  ['usd_within', (row) => row.cost?.usdWithin],
  ['run_target', (row) => row.run?.target],
  ['run_phase', (row) => row.run?.phase],
  ['run_waits_for', (row) => row.run?.waitsFor?.id],
  ['note', (row) => row.why ?? row.alarm?.text],
  ['campaign', (row) => row.campaign?.name],
  ['ring', (row) => row.campaign?.ring],
  // Empty: in no open campaign.
  ['campaign_state', (row, view) => row.campaign?.state ?? (areCampaignsKnown(view) ? undefined : 'unknown')],
  ['frozen_since', (row) => row.keptFreeze?.startedAt],
  ['freeze_waits_for', (row) => row.keptFreeze?.waitsFor?.id],
];

export function renderFleetCsv(view: FleetView): string {
  return csvRows([COLUMNS.map(([name]) => name), ...view.clusters.map((row) => COLUMNS.map(([, cell]) => cell(row, view)))]);
}
