/** A campaign as people read it: one line a ring, names only of those that need somebody. */
import { defined } from '../../core/defined.ts';
import { count, duration, utcMinute } from '../../core/text.ts';
import type { Actor } from '../../gates/actor.ts';
import type { CampaignPlan, PlannedRing } from '../../plan/campaign/types.ts';
import { leftOutText, mayFail } from './left-out.ts';
import { soakLeftMs } from './soak.ts';
import {
  type CampaignState,
  countKinds,
  hasArrived,
  hasFailed,
  leftOutOf,
  membersOf,
  type MemberState,
  needsPeople,
  type RingState,
} from './state.ts';

/** Names on a board; the rest are in `belay campaign status`. */
const NAMED = 10;

export interface RingView {
  name: string;
  state: RingState['state'];
  /** "41/100 done · 3 running · 2 need you" */
  line: string;
  doneCount: number;
  clusterCount: number;
  /** One line each, of those that need somebody. */
  needs: string[];
  /** How many more there are. */
  moreCount: number;
}

export interface CampaignView extends Pick<CampaignPlan, 'rollbackOf'> {
  campaign: string;
  target: string;
  workflowId: string;
  /** One sentence. */
  headline: string;
  phase: CampaignState['phase'] | 'paused';
  rings: RingView[];
  requestedBy: Actor;
  planHash: string;
  clusterCount: number;
  arrivedCount: number;
}

export function campaignView({
  plan,
  state,
  workflowId,
  requestedBy,
}: {
  plan: CampaignPlan;
  state: CampaignState;
  workflowId: string;
  requestedBy: Actor;
}): CampaignView {
  const states = Object.values(state.members);
  const paused = state.pauses.length > 0 && state.phase === 'running';
  return {
    campaign: plan.campaign,
    ...defined({ rollbackOf: plan.rollbackOf }),
    target: plan.target,
    workflowId,
    headline: headlineOf(plan, state),
    phase: paused ? 'paused' : state.phase,
    rings: plan.rings.map((ring, index) => ringView(state, ring, state.rings[index])),
    requestedBy,
    planHash: state.planHash,
    clusterCount: states.length,
    arrivedCount: states.filter(hasArrived).length,
  };
}

function headlineOf(plan: CampaignPlan, { phase, pauses, ring, rings }: CampaignState): string {
  const is = rings[ring];
  if (phase === 'complete') return 'Every ring is complete.';
  if (phase === 'stopped') return `Stopped${is?.why === undefined ? '' : `: ${is.why}`}.`;
  const name = plan.rings[ring]?.name ?? '';
  const [pause] = pauses;
  const failed = pauses.find(({ by }) => by === 'failures');
  if (failed !== undefined) return `Ring ${name} stopped: ${failed.why}.`;
  if (pause !== undefined) return `Paused: ${pause.why}.`;
  switch (is?.state) {
    case 'awaiting-approval':
      return `Ring ${name} waits for approval.`;
    case 'pending':
      return `Ring ${name} is next${is.why === undefined ? '' : `: ${is.why}`}.`;
    case 'soaking':
      return `Ring ${name} is soaking.`;
    default:
      return `Ring ${name} is running${is?.why === undefined ? '' : `: ${is.why}`}.`;
  }
}

function ringView(state: CampaignState, ring: PlannedRing, is: RingState | undefined): RingView {
  const members = membersOf(state, ring);
  const needy = members.filter(({ is: of }) => needsPeople(of));
  return {
    name: ring.name,
    state: is?.state ?? 'pending',
    doneCount: members.filter(({ is: of }) => hasArrived(of)).length,
    clusterCount: members.length,
    line: ringLine(
      ring,
      members.map(({ is: of }) => of),
      is,
    ),
    needs: needy.slice(0, NAMED).map(({ member, is: of }) => `${member.cluster.name}: ${memberText(of)}`),
    moreCount: Math.max(0, needy.length - NAMED),
  };
}

/** "41/100 done · 3 running · 1 failed (0 allowed: stopped) · 5 wait for their windows (next 2026-12-01 01:00 UTC)" */
export function ringLine(ring: PlannedRing, states: readonly MemberState[], is: RingState | undefined): string {
  const counts = countKinds(states);
  const failed = states.filter(hasFailed).length;
  const part = (n: number | undefined, text: string): string[] => (n === undefined || n === 0 ? [] : [`${n} ${text}`]);
  const soak = is?.soak;
  return [
    `${states.filter(hasArrived).length}/${states.length} done`,
    ...part(counts.running, 'running'),
    ...part(counts['needs-people'], counts['needs-people'] === 1 ? 'needs you' : 'need you'),
    ...part(failed, `failed (${mayFail(ring, states)} allowed${is?.state === 'stopped' ? ': stopped' : ''})`),
    ...part(states.filter((each) => leftOutOf(each) !== undefined).length, 'left out'),
    ...part(counts.waiting, `${counts.waiting === 1 ? 'waits for its window' : 'wait for their windows'}${nextWindow(states)}`),
    ...part(counts.held, 'held'),
    ...part((counts.unknown ?? 0) + (counts.removed ?? 0), 'unknown or removed'),
    ...(is?.state === 'soaking' && soak !== undefined
      ? [
          `${duration(soakLeftMs(soak, ring))} of soak left${soak.seen === 'green' ? '' : ` (${soak.seen}${soak.why === undefined ? '' : `: ${soak.why}`})`}`,
        ]
      : []),
  ].join(' · ');
}

/** " (next 2026-12-01 01:00 UTC)"; nothing where no opening is known. */
function nextWindow(states: readonly MemberState[]): string {
  const [next] = states.flatMap((each) => (each.kind === 'waiting' && each.until !== undefined ? [each.until] : [])).toSorted();
  return next === undefined ? '' : ` (next ${utcMinute(next)})`;
}

/** What has become of one cluster, for people. */
export function memberText(is: MemberState): string {
  const note = memberNote(is);
  switch (is.kind) {
    case 'waiting':
      return `waits: ${note}`;
    case 'needs-people':
      return `waits for a decision at ${is.gate}`;
    case 'running':
      return note === undefined ? 'running' : `running, ${note}`;
    case 'done':
      return is.by === 'before' ? 'already at the target' : note === undefined ? 'done' : `done, ${note}`;
    case 'ahead':
      return 'ahead of the target';
    case 'rolled-back':
      return `rolled back: ${note}`;
    default:
      return note === undefined ? is.kind : `${is.kind}: ${note}`;
  }
}

/** What there is to say beside its state. */
export function memberNote(is: MemberState): string | undefined {
  switch (is.kind) {
    case 'planned':
    case 'ahead':
      return undefined;
    case 'running':
      return is.unread === undefined ? is.phase : `${is.phase === undefined ? '' : `${is.phase}; `}could not be read now: ${is.unread}`;
    case 'needs-people':
      return `gate ${is.gate}`;
    case 'done':
      return is.by === 'run' ? undefined : is.by === 'others' ? 'by other means' : 'already at the target';
    default:
      return `${is.why}${leftOutText(is)}`;
  }
}

/** "Campaign to-1-34 to 1.34", or "Rollback of ring prod of campaign to-1-34 to 1.33". */
export const campaignNamed = ({ campaign, rollbackOf, target }: Pick<CampaignPlan, 'campaign' | 'rollbackOf' | 'target'>): string =>
  rollbackOf === undefined
    ? `Campaign ${campaign} to ${target}`
    : `Rollback of ring ${rollbackOf.ring} of campaign ${rollbackOf.campaign} to ${target}`;

export const fleetSize = ({ rings }: Pick<CampaignPlan, 'rings'>): string =>
  `${count(
    rings.reduce((sum, { members }) => sum + members.length, 0),
    'cluster',
  )} in ${count(rings.length, 'ring')}`;
