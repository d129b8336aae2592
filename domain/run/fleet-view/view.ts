/** The fleet at a glance: a row for each cluster, what waiting costs, and whether anything is due. */
import { defined } from '../../core/defined.ts';
import { compareKubernetesVersions, tryKubernetesVersion } from '../../core/version.ts';
import type { Fits } from '../../plan/campaign/lay-out.ts';
import { rollbackOfName } from '../../plan/campaign/plan-rollback.ts';
import { type Support, supportAt, supportOf, type SupportType } from '../fleet.ts';
import { type Alarm, alarmOf, alarmText } from './alarms.ts';
import type { BoardMember } from './board.ts';
import { campaignsOf, type FleetCampaigns } from './campaigns.ts';
import { cents, type Cost, costOfWaiting } from './money.ts';
import {
  type FleetFreeze,
  type FleetMember,
  type FleetReading,
  type FleetRun,
  type FleetSources,
  placeId,
  type UnreadRegion,
} from './reading.ts';

/** `unread`: its version or its support dates are not known, which is not the same as nothing to do. */
export type Outcome = 'due' | 'unread' | 'nothing-due';

export interface FleetRow {
  /** account/region/name */
  id: string;
  name: string;
  account: string;
  region: string;
  environment?: string;
  version?: string;
  outcome: Outcome;
  /** Why it is `unread`. */
  why?: string;
  support: Support;
  /** ISO date: the end of that support. */
  supportUntil?: string;
  daysLeft?: number;
  supportType?: SupportType;
  alarm?: Alarm & { text: string };
  /** undefined: not known. */
  cost?: Cost;
  run?: Omit<FleetRun, 'cluster'>;
  /** Kept after its run. */
  keptFreeze?: Omit<FleetFreeze, 'cluster'>;
  /** The open campaign that has it. */
  campaign?: RowCampaign;
}

export interface RowCampaign {
  name: string;
  ring: string;
  state: BoardMember['state'];
}

export interface AccountCost extends Cost {
  account: string;
  clusterCount: number;
  /** In extended support now, by the version; a STANDARD cluster costs nothing there. */
  extendedCount: number;
  /** Their cost is not known and in no sum. */
  unknownCount: number;
}

/** A minor of the fleet, with its support. */
export interface MinorView {
  minor: string;
  clusterCount: number;
  support: Support;
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
}

export interface FleetView extends FleetCampaigns {
  /** Of this shape: fields may be added, none are taken away or change their meaning. */
  schemaVersion: 1;
  readAt: string;
  withinDays: number;
  outcome: Outcome;
  sources: FleetSources;
  counts: { clusters: number; due: number; unread: number; running: number; waiting: number; keptFreezes: number };
  /** What is due first, then what was not read; the oldest version first. */
  clusters: FleetRow[];
  /** Their clusters are in no count and in no sum. */
  unreadRegions: UnreadRegion[];
  /** Oldest first. */
  minors: MinorView[];
  /** The dearest first. */
  accounts: AccountCost[];
  total: Cost;
}

/** `fits`: windows and freezes of belay.yaml, for forecasts; absent: always open. */
export function fleetView(reading: FleetReading, withinDays: number, fits?: Fits): FleetView {
  const runs = new Map(reading.runs.map((run) => [placeId(run.cluster), run]));
  const freezes = new Map(reading.keptFreezes.map((freeze) => [placeId(freeze.cluster), freeze]));
  const campaigns = campaignsOf(reading, fits);
  const rings = ringsIn(campaigns);
  const clusters = reading.members
    .map((member) => {
      const place = placeId(member.cluster);
      const keptFreeze = withoutCluster(freezes.get(place));
      return { ...rowOf(member, reading, withinDays, runs.get(place)), ...defined({ keptFreeze, campaign: rings.get(place) }) };
    })
    .toSorted(byUrgency);
  const counted = (outcome: Outcome): number => clusters.filter((row) => row.outcome === outcome).length;
  const counts = {
    clusters: clusters.length,
    due: counted('due'),
    unread: counted('unread'),
    running: clusters.filter(({ run }) => run !== undefined).length,
    waiting: clusters.filter(({ run }) => run?.waitsFor !== undefined && run.waitsFor.byItself !== true).length,
    keptFreezes: clusters.filter(({ keptFreeze }) => keptFreeze !== undefined).length,
  };
  const { readAt, sources, unreadRegions = [] } = reading;
  const outcome = counts.due > 0 ? 'due' : counts.unread + unreadRegions.length > 0 ? 'unread' : 'nothing-due';
  return {
    schemaVersion: 1,
    readAt,
    withinDays,
    outcome,
    sources,
    counts,
    ...campaigns,
    clusters,
    unreadRegions,
    minors: minorsOf(clusters, reading),
    accounts: accountsOf(clusters),
    total: sum(clusters),
  };
}

function ringsIn({ campaigns }: FleetCampaigns): Map<string, RowCampaign> {
  const open = campaigns.filter(({ from }) => from === 'workflow');
  // A cluster that goes back is of its campaign as well; one that cannot go back is of that alone.
  const goesBack = ({ name }: { name: string }): boolean => rollbackOfName(name) !== undefined;
  const members = open
    .toSorted((a, b) => Number(goesBack(a)) - Number(goesBack(b)))
    .flatMap((board) => board.rings.flatMap((ring) => ring.members.map((member) => ({ name: board.name, ring: ring.name, member }))))
    .filter(({ name, member }) => member.state !== 'held' || !goesBack({ name }));
  return new Map(members.map(({ name, ring, member }) => [placeId(member.cluster), { name, ring, state: member.state }]));
}

/** Is it known of every open campaign which clusters it has? */
export const areCampaignsKnown = ({ sources, unreadCampaigns }: Pick<FleetView, 'sources' | 'unreadCampaigns'>): boolean =>
  sources.campaigns.from === 'temporal' && unreadCampaigns.length === 0;

function rowOf(
  { cluster, environment, version, supportType, why }: FleetMember,
  { offered, readAt }: FleetReading,
  withinDays: number,
  open: FleetRun | undefined,
): FleetRow {
  const { name, account, region } = cluster;
  const about = { id: placeId(cluster), name, account, region, ...defined({ environment, run: withoutCluster(open) }) };
  if (version === undefined) return { ...about, outcome: 'unread', why: why ?? 'no reason was given', support: 'unknown' };
  const target = supportOf(version, offered);
  const { support, daysLeft } = supportAt(target, readAt);
  const alarm = alarmOf(target, readAt, withinDays, supportType);
  const until = support === 'standard' ? target.endOfStandardSupport : target.endOfExtendedSupport;
  return {
    ...about,
    version,
    outcome: support === 'unknown' ? 'unread' : alarm === undefined ? 'nothing-due' : 'due',
    support,
    ...(support === 'unknown' ? { why: `how long EKS supports ${version} is not known` } : defined({ supportUntil: until, daysLeft })),
    ...defined({ supportType, cost: costOfWaiting(target, readAt, withinDays, supportType) }),
    ...(alarm === undefined ? {} : { alarm: { ...alarm, text: alarmText(alarm, version) } }),
  };
}

function withoutCluster(run: FleetRun | undefined): FleetRow['run'] {
  if (run === undefined) return undefined;
  const { target, phase, startedAt, waitsFor } = run;
  return { startedAt, ...defined({ target, phase, waitsFor }) };
}

const RANK: Record<Outcome, number> = { due: 0, unread: 1, 'nothing-due': 2 };

function byUrgency(a: FleetRow, b: FleetRow): number {
  return RANK[a.outcome] - RANK[b.outcome] || byVersion(a.version, b.version) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** By value; those that are not known come first. */
function byVersion(a = '', b = ''): number {
  const [one, other] = [tryKubernetesVersion(a), tryKubernetesVersion(b)];
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  return compareKubernetesVersions(one, other);
}

function minorsOf(rows: readonly FleetRow[], { offered, readAt }: FleetReading): MinorView[] {
  const versions = rows.flatMap(({ version }) => version ?? []);
  return [...new Set(versions)].toSorted(byVersion).map((minor) => {
    const target = supportOf(minor, offered);
    const { endOfStandardSupport, endOfExtendedSupport } = target;
    const clusterCount = versions.filter((version) => version === minor).length;
    return { minor, clusterCount, support: supportAt(target, readAt).support, ...defined({ endOfStandardSupport, endOfExtendedSupport }) };
  });
}

function accountsOf(rows: readonly FleetRow[]): AccountCost[] {
  const accounts = [...Map.groupBy(rows, ({ account }) => account)].map(([account, own]) => ({
    account,
    clusterCount: own.length,
    extendedCount: own.filter(({ support }) => support === 'extended' || support === 'ended').length,
    unknownCount: own.filter(({ cost }) => cost === undefined).length,
    ...sum(own),
  }));
  return accounts.toSorted((a, b) => b.usdWithin - a.usdWithin || a.account.localeCompare(b.account));
}

function sum(rows: readonly FleetRow[]): Cost {
  const costs = rows.flatMap(({ cost }) => cost ?? []);
  const total = (of: keyof Cost): number => cents(costs.reduce((all, cost) => all + cost[of], 0));
  return { usdPerDay: total('usdPerDay'), usdWithin: total('usdWithin') };
}
