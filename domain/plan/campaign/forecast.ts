/** When each ring will have arrived and soaked, and what waiting costs: from records where there are some, else from a length that is said to be assumed. */
import { chargedFromMs, EXTRA_USD_PER_HOUR } from '../../tables/eks-prices.ts';
import { ALWAYS, type Fits, layOut, type RunLimits } from './lay-out.ts';
import type { CampaignPlan, PlannedMember, PlannedRing } from './types.ts';
import { memberKey } from './types.ts';

export const HOUR_MS = 3_600_000;
/** Where no record says how long an upgrade of one minor takes. */
export const ASSUMED_MS = 3 * HOUR_MS;

export interface RingForecast {
  ring: string;
  /** ISO 8601: begins, last cluster has arrived, soak is over. */
  from: string;
  arrives: string;
  until: string;
  /** Of one run: the longest p90 in the ring, or the assumed length. */
  runMs: number;
  /** No cluster of the ring has records. */
  assumed: boolean;
  /** Clusters that fit no opening of their windows within a year, in full: the dates are those of the others. Absent: none. */
  never?: string[];
}

/**
 * Laid one after the other from `now`, as slots and windows let their clusters start (`fits`; without it windows are always open). Decisions of people
 * take no time here.
 */
export function forecastRings(rings: readonly PlannedRing[], now: string, fits: Fits = ALWAYS, limits: RunLimits = {}): RingForecast[] {
  const forecasts: RingForecast[] = [];
  let atMs = Date.parse(now);
  for (const ring of rings) {
    const { going, runMs, assumed } = lengthsOf(ring);
    const { startsMs, arrivesMs, never } = layOut(going, { ring, limits, fromMs: atMs, runMs, fits });
    // A ring whose clusters have all arrived before soaks, too; only one without clusters is passed at once.
    const untilMs = arrivesMs + (ring.members.length === 0 ? 0 : ring.soakMs);
    forecasts.push({
      ring: ring.name,
      from: iso(startsMs),
      arrives: iso(arrivesMs),
      until: iso(untilMs),
      runMs,
      assumed,
      ...(never.length === 0 ? {} : { never: never.map(({ cluster }) => memberKey(cluster)) }),
    });
    atMs = untilMs;
  }
  return forecasts;
}

export interface RunLengths extends Pick<RingForecast, 'runMs' | 'assumed'> {
  /** Those of the ring that have an upgrade before them. */
  going: PlannedMember[];
  lengthOf: (member: PlannedMember) => number;
}

/** How long the runs of a ring take. One without records is taken for the slowest of the ring that has some. */
export function lengthsOf({ members }: Pick<PlannedRing, 'members'>): RunLengths {
  const going = members.filter(({ verdict }) => verdict.kind === 'upgrade');
  const known = going.flatMap(({ p90Ms }) => (p90Ms === undefined ? [] : [p90Ms]));
  const likelyMs = known.length === 0 ? ASSUMED_MS : Math.max(...known);
  const lengthOf = (member: PlannedMember): number => (member.p90Ms ?? likelyMs) * minorsOf(member);
  return { going, lengthOf, runMs: Math.max(0, ...going.map(lengthOf)), assumed: going.length > 0 && known.length === 0 };
}

const minorsOf = ({ verdict }: PlannedMember): number => (verdict.kind === 'upgrade' ? verdict.minors : 1);
const iso = (ms: number): string => new Date(ms).toISOString();

export interface WaitingCost {
  account: string;
  /** Those that move, of which so many cost something. */
  clusters: number;
  charged: number;
  /** Hours in extended support up to the forecast arrival of each ring, from now on. */
  hours: number;
  usd: number;
  /** Clusters that AWS upgrades by itself before their ring arrives, each with the day. */
  forced: { cluster: string; on: string }[];
}

/** ISO dates; absent: not known. */
export interface SupportDates {
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
}

/** By account. `supportOf`: of the minor that a cluster is at. */
export function costOfWaiting(
  { rings, madeAt }: Pick<CampaignPlan, 'rings' | 'madeAt'>,
  forecasts: readonly RingForecast[],
  supportOf: (minor: string) => SupportDates,
  supportType: (member: PlannedMember) => 'STANDARD' | 'EXTENDED' | undefined,
): WaitingCost[] {
  const costs = new Map<string, WaitingCost>();
  for (const ring of rings) {
    const arrives = forecasts.find((forecast) => forecast.ring === ring.name)?.arrives ?? madeAt;
    for (const member of ring.members) {
      if (member.verdict.kind !== 'upgrade' || member.from === undefined) continue;
      const { endOfStandardSupport, endOfExtendedSupport } = supportOf(member.from);
      const { account } = member.cluster;
      const cost = costs.get(account) ?? { account, clusters: 0, charged: 0, hours: 0, usd: 0, forced: [] };
      costs.set(account, cost);
      cost.clusters += 1;
      const forcedOn = supportType(member) === 'STANDARD' ? endOfStandardSupport : endOfExtendedSupport;
      if (forcedOn !== undefined && forcedOn < arrives.slice(0, 10)) cost.forced.push({ cluster: memberKey(member.cluster), on: forcedOn });
      if (endOfStandardSupport === undefined || supportType(member) === 'STANDARD') continue;
      const fromMs = Math.max(Date.parse(madeAt), chargedFromMs(endOfStandardSupport));
      const hours = Math.max(0, (Date.parse(arrives) - fromMs) / HOUR_MS);
      cost.charged += Number(hours > 0);
      cost.hours += Math.ceil(hours);
      cost.usd = Math.round(cost.hours * EXTRA_USD_PER_HOUR);
    }
  }
  return [...costs.values()].toSorted((a, b) => (a.account < b.account ? -1 : 1));
}

export interface BestChange {
  /** "ring prod: parallel 2 → 4" */
  what: string;
  savesMs: number;
}

/** The one setting that would bring the end nearest, found by trying each; absent: none brings it a day nearer. */
export function bestChange(rings: readonly PlannedRing[], now: string, limits?: RunLimits, fits?: Fits): BestChange | undefined {
  const end = (of: readonly PlannedRing[]): number => Date.parse(forecastRings(of, now, fits, limits).at(-1)?.until ?? now);
  const before = end(rings);
  const tries = rings.flatMap((ring, index) => {
    const withRing = (change: Partial<PlannedRing>): PlannedRing[] =>
      rings.map((each, at) => (at === index ? { ...each, ...change } : each));
    return [
      { what: `ring ${ring.name}: parallel ${ring.parallel} → ${ring.parallel * 2}`, rings: withRing({ parallel: ring.parallel * 2 }) },
      { what: `ring ${ring.name}: half the soak`, rings: withRing({ soakMs: ring.soakMs / 2 }) },
    ];
  });
  const [best] = tries
    .map(({ what, rings: changed }) => ({ what, savesMs: before - end(changed) }))
    .toSorted((a, b) => b.savesMs - a.savesMs);
  return best !== undefined && best.savesMs >= 24 * HOUR_MS ? best : undefined;
}
