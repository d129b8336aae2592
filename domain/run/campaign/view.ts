/** A campaign as people read it: one line a ring, names only of those that need somebody. */
import { count, duration } from '../../core/text.ts';
import { utcMinute } from '../../facts/rollback-window.ts';
import type { Actor } from '../../gates/actor.ts';
import type { CampaignPlan, PlannedRing } from '../../plan/campaign/types.ts';
import { soakLeftMs } from './soak.ts';
import { type CampaignState, countKinds, hasArrived, hasFailed, membersOf, type MemberState, type RingState } from './state.ts';

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

export interface CampaignView {
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
  const [pause] = pauses;
  if (pause !== undefined) return `Paused: ${pause.why}.`;
  const name = plan.rings[ring]?.name ?? '';
  switch (is?.state) {
    case 'awaiting-approval':
      return `Waits for the approval of ring ${name}.`;
    case 'pending':
      return `Ring ${name} comes next${is.why === undefined ? '' : `: ${is.why}`}.`;
    case 'soaking':
      return `Ring ${name} soaks.`;
    default:
      return `Ring ${name} runs${is?.why === undefined ? '' : `: ${is.why}`}.`;
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

const NEED: readonly MemberState['kind'][] = ['needs-people', 'stuck', 'failed', 'rolled-back', 'unknown'];

/** Does it go on only when somebody has decided or mended something? */
export const needsPeople = (is: MemberState): boolean => NEED.includes(is.kind) || (is.kind === 'held' && is.again === undefined);

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
    ...part(failed, `failed (${ring.canary ? 0 : ring.failures} allowed${is?.state === 'stopped' ? ': stopped' : ''})`),
    ...part(counts.waiting, `${counts.waiting === 1 ? 'waits for its window' : 'wait for their windows'}${nextWindow(states)}`),
    ...part(counts.held, 'held'),
    ...part((counts.unknown ?? 0) + (counts.removed ?? 0), 'unknown or removed'),
    ...(is?.state === 'soaking' && soak !== undefined
      ? [
          `soaks for ${duration(soakLeftMs(soak, ring))} more${soak.seen === 'green' ? '' : ` (${soak.seen}${soak.why === undefined ? '' : `: ${soak.why}`})`}`,
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
  switch (is.kind) {
    case 'planned':
      return 'planned';
    case 'held':
      return `held: ${is.why}`;
    case 'waiting':
      return `waits: ${is.why}`;
    case 'running':
      return `running${is.phase === undefined ? '' : `, ${is.phase}`}${is.unread === undefined ? '' : `; not seen now: ${is.unread}`}`;
    case 'needs-people':
      return `needs people at ${is.gate}`;
    case 'stuck':
      return `stuck: ${is.why}`;
    case 'done':
      return is.by === 'run' ? 'done' : is.by === 'others' ? 'done, by other means' : 'was at the target';
    case 'ahead':
      return 'ahead of the target';
    case 'failed':
      return `failed: ${is.why}`;
    case 'rolled-back':
      return `rolled back: ${is.why}`;
    case 'removed':
      return `removed: ${is.why}`;
    case 'unknown':
      return `unknown: ${is.why}`;
  }
}

export const fleetSize = ({ rings }: Pick<CampaignPlan, 'rings'>): string =>
  `${count(
    rings.reduce((sum, { members }) => sum + members.length, 0),
    'cluster',
  )} in ${count(rings.length, 'ring')}`;
