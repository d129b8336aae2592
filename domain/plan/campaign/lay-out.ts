/** When the clusters of a ring start and arrive: as many at a time as limits allow, each in the maintenance windows of its own cluster. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { CampaignPlan, PlannedMember, PlannedRing } from './types.ts';

/** Runs at the same time, over all rings. */
export type RunLimits = Partial<CampaignPlan['limits']>;

/**
 * The first moment from `atMs` on from which a run that needs so long may start; epoch milliseconds. undefined: within a year there is none. `needMs`: 0
 * where no record says how long it takes, as when a campaign starts it.
 */
export type Fits = (cluster: ClusterRef, atMs: number, needMs: number) => number | undefined;

/** Without windows. */
export const ALWAYS: Fits = (_cluster, atMs) => atMs;

export interface LaidOut {
  /** The first start, and the last arrival; both `fromMs` where nothing starts. */
  startsMs: number;
  arrivesMs: number;
  /** Those that fit no opening of their windows. */
  never: PlannedMember[];
}

/** In the order of the plan, as slots and windows let them start. Each takes `runMs`; a run that has started goes on, whatever its window does. */
export function layOut(
  going: readonly PlannedMember[],
  {
    ring,
    limits,
    fromMs,
    runMs,
    fits,
  }: { ring: Pick<PlannedRing, 'parallel'>; limits: RunLimits; fromMs: number; runMs: number; fits: Fits },
): LaidOut {
  let left = [...going];
  let active: { endMs: number; member: PlannedMember }[] = [];
  let [atMs, startsMs, arrivesMs] = [fromMs, Infinity, fromMs];
  while (left.length > 0) {
    active = active.filter(({ endMs }) => endMs > atMs);
    let nextMs = Infinity;
    const waiting: PlannedMember[] = [];
    for (const member of left) {
      const isFull = !hasSlot(
        member,
        active.map((each) => each.member),
        ring,
        limits,
      );
      const opensMs = isFull ? undefined : fits(member.cluster, atMs, neededMs(member));
      if (opensMs === undefined || opensMs > atMs) {
        waiting.push(member);
        nextMs = Math.min(nextMs, opensMs ?? Infinity);
        continue;
      }
      active.push({ endMs: atMs + runMs, member });
      startsMs = Math.min(startsMs, atMs);
      arrivesMs = Math.max(arrivesMs, atMs + runMs);
    }
    left = waiting;
    nextMs = Math.min(nextMs, ...active.map(({ endMs }) => endMs));
    // Nothing runs, and no window of what is left opens.
    if (nextMs === Infinity || nextMs <= atMs) break;
    atMs = nextMs;
  }
  return { startsMs: startsMs === Infinity ? fromMs : startsMs, arrivesMs, never: left };
}

const neededMs = ({ p90Ms = 0, verdict }: PlannedMember): number => p90Ms * (verdict.kind === 'upgrade' ? verdict.minors : 1);

function hasSlot(
  { cluster }: PlannedMember,
  active: readonly PlannedMember[],
  ring: Pick<PlannedRing, 'parallel'>,
  { parallel = Infinity, perAccount = Infinity, perRegion = Infinity }: RunLimits,
): boolean {
  if (active.length >= Math.min(ring.parallel, parallel)) return false;
  const inAccount = active.filter((each) => each.cluster.account === cluster.account);
  if (inAccount.length >= perAccount) return false;
  return inAccount.filter((each) => each.cluster.region === cluster.region).length < perRegion;
}
