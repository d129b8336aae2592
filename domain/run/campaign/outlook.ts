/** When the rings of a campaign that has begun ended, and when those that are left will: facts first, then a forecast from now. */
import {
  bestChange,
  type BestChange,
  costOfWaiting,
  forecastRings,
  lengthsOf,
  type RingForecast,
  type SupportDates,
  type WaitingCost,
} from '../../plan/campaign/forecast.ts';
import type { Fits } from '../../plan/campaign/lay-out.ts';
import type { CampaignPlan, PlannedMember, PlannedRing } from '../../plan/campaign/types.ts';
import { soakLeftMs } from './soak.ts';
import { type CampaignState, hasArrived, membersOf, type MemberState, type RingState } from './state.ts';

/** `passed`: all of it has happened. `soaking`: its arrival has. `forecast`: what has begun has its own beginning. */
export interface RingOutlook extends RingForecast {
  kind: 'passed' | 'soaking' | 'forecast';
}

export interface CampaignOutlook {
  /** In their order; without those that never come, of a campaign that was stopped. */
  rings: RingOutlook[];
  best?: BestChange;
  /** By account, from now on, for clusters that have not arrived. */
  costs: WaitingCost[];
}

interface Support {
  of: (minor: string) => SupportDates;
  typeOf: (member: PlannedMember) => 'STANDARD' | 'EXTENDED' | undefined;
}

/** `now`: ISO 8601. Decisions and pauses take no time here; windows do by `fits`. */
export function outlookOf(plan: CampaignPlan, state: CampaignState, now: string, support: Support, fits?: Fits): CampaignOutlook {
  const isAlive = state.phase === 'proposed' || state.phase === 'running';
  const rings: RingOutlook[] = [];
  const left: PlannedRing[] = [];
  let beginsMs = Date.parse(now);
  for (const [index, ring] of plan.rings.entries()) {
    const is = state.rings[index];
    if (is !== undefined && isPassed(is)) rings.push(passed(ring, is, now));
    else if (is?.state === 'soaking') {
      rings.push(soaking(ring, is, now));
      beginsMs += leftOfSoak(ring, is);
    } else if (isAlive) {
      beginsMs += activeLeftMs(ring, state, now);
      left.push(leftOf(ring, state));
    }
  }
  const begins = new Date(beginsMs).toISOString();
  for (const forecast of forecastRings(left, begins, fits, plan.limits)) {
    const index = indexOf(plan, forecast.ring);
    const startedAt = state.rings[index]?.startedAt;
    // Where all that is left runs by now, it takes what the ring's runs take.
    const { runMs, assumed } = forecast.runMs > 0 ? forecast : lengthsOf(plan.rings[index] ?? { members: [] });
    rings.push({ ...forecast, runMs, assumed, kind: 'forecast', ...(startedAt === undefined ? {} : { from: startedAt }) });
  }
  rings.sort((a, b) => indexOf(plan, a.ring) - indexOf(plan, b.ring));
  const best = bestChange(left, begins, plan.limits, fits);
  const costs = costOfWaiting({ rings: plan.rings.map((ring) => unarrived(ring, state)), madeAt: now }, rings, support.of, support.typeOf);
  return { rings, costs, ...(best === undefined ? {} : { best }) };
}

const indexOf = ({ rings }: CampaignPlan, ring: string): number => rings.findIndex(({ name }) => name === ring);

const isPassed = (is: RingState | undefined): boolean => is?.state === 'complete' || is?.state === 'complete-with-exceptions';

function passed({ name }: PlannedRing, { startedAt, arrivedAt, soak }: RingState, now: string): RingOutlook {
  const from = startedAt ?? arrivedAt ?? now;
  const arrives = arrivedAt ?? from;
  return { ring: name, kind: 'passed', from, arrives, until: soak?.at ?? arrives, runMs: 0, assumed: false };
}

function soaking(ring: PlannedRing, is: RingState, now: string): RingOutlook {
  const until = new Date(Date.parse(now) + leftOfSoak(ring, is)).toISOString();
  return { ...passed(ring, is, now), kind: 'soaking', until };
}

const leftOfSoak = (ring: PlannedRing, { soak }: RingState): number => (soak === undefined ? ring.soakMs : soakLeftMs(soak, ring));

/** Of the runs that are open: until the one that began last, or is the longest, has taken its time. One that has taken more may end now. */
function activeLeftMs(ring: PlannedRing, state: CampaignState, now: string): number {
  const { lengthOf } = lengthsOf(ring);
  return Math.max(
    0,
    ...membersOf(state, ring).map(({ member, is }) =>
      is.kind === 'running' || is.kind === 'needs-people' ? lengthOf(member) - (Date.parse(now) - Date.parse(is.since)) : 0,
    ),
  );
}

/** The ring with what is left to start; all else takes no slot by then. */
const leftOf = (ring: PlannedRing, state: CampaignState): PlannedRing =>
  withVerdicts(ring, state, (is) => is.kind === 'planned' || is.kind === 'waiting' || (is.kind === 'held' && is.again !== undefined));

const unarrived = (ring: PlannedRing, state: CampaignState): PlannedRing => withVerdicts(ring, state, (is) => !hasArrived(is));

/** What the plan held may start by now: it goes as far as its version says. */
function withVerdicts(ring: PlannedRing, state: CampaignState, isLeft: (is: MemberState) => boolean): PlannedRing {
  const members = membersOf(state, ring).map(({ member, is }): PlannedMember => {
    const verdict = member.verdict.kind === 'upgrade' ? member.verdict : { kind: 'upgrade' as const, minors: 1 };
    return { ...member, verdict: isLeft(is) ? verdict : { kind: 'done' } };
  });
  return { ...ring, members };
}
