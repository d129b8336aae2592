/** Clusters that a ring goes on without: what people say of them when they retry it, and what that changes of its budget. */
import { type CampaignPlan, memberKey, type PlannedMember, type PlannedRing } from '../../plan/campaign/types.ts';
import {
  type CampaignState,
  hasFailed,
  hasRun,
  type LeftOut,
  leftOutOf,
  membersOf,
  type MemberState,
  nameAmong,
  withMember,
} from './state.ts';

type Members = ReturnType<typeof membersOf>;

/**
 * They stay what they are and are not started again until somebody lifts them. `by` and `why` are kept with each; a refusal says what is wrong. A canary is
 * there to stop its campaign, and a ring that nothing arrived in has shown nothing: neither goes on without.
 */
export function leaveOut(
  state: CampaignState,
  ring: PlannedRing,
  { without, lift, by, why }: { without: readonly string[]; lift: readonly string[] } & LeftOut,
): { state: CampaignState } | { refused: string } {
  if (without.length === 0) return { state };
  if (ring.canary)
    return {
      refused: `Ring ${ring.name} is a canary, and no campaign continues without one. Fix the cluster and retry the ring, or stop the campaign, exclude the cluster in belay.yaml, and start the campaign again.`,
    };
  if (why.trim() === '')
    return {
      refused: `Why should ring ${ring.name} continue without ${without.join(', ')}? Give a reason (--reason): its gate and the record show it.`,
    };
  const members = membersOf(state, ring);
  let next = state;
  for (const each of without) {
    const [first, ...others] = members.filter(({ member }) => isNamed(member, each));
    if (first === undefined) return { refused: `Ring ${ring.name} has no cluster ${each}.` };
    if (others.length > 0) return { refused: severalNamed(each, [first, ...others]) };
    if (lift.some((one) => isNamed(first.member, one))) return { refused: `${each} cannot be both lifted and left out.` };
    if (!canBeLeftOut(first.is)) return { refused: whyNot(each, first.is) };
    next = withMember(next, first.key, { ...withoutAgain(first.is), leftOut: { by, why: why.trim() } });
  }
  if (membersOf(next, ring).every(({ is }) => leftOutOf(is) !== undefined))
    return { refused: `Nothing would be left of ring ${ring.name} without ${without.join(', ')}: stop the campaign instead.` };
  return { state: next };
}

/** By its name, or by `account/region/name` where two have the same. */
export const isNamed = ({ cluster }: PlannedMember, written: string): boolean => written === cluster.name || written === memberKey(cluster);

export const severalNamed = (written: string, named: Members): string =>
  `${written} may be ${named.map(({ key }) => key).join(' or ')}: give the full name.`;

type CanBeLeftOut = Extract<MemberState, { leftOut?: LeftOut }>;

const LEAVABLE: readonly MemberState['kind'][] = ['failed', 'rolled-back', 'held', 'removed', 'unknown'];
const canBeLeftOut = (is: MemberState): is is CanBeLeftOut => LEAVABLE.includes(is.kind);

const whyNot = (name: string, is: MemberState): string =>
  hasRun(is)
    ? `${name} is ${is.kind} in a run that has not ended: abort that run first (belay abort ${name}).`
    : `${name} is ${is.kind}: only a cluster that failed, was rolled back, is held or is unknown can be left out.`;

/** What was to be looked at again is not started any more. */
function withoutAgain(is: CanBeLeftOut): CanBeLeftOut {
  if (is.kind !== 'held') return is;
  const { again: _again, ...held } = is;
  return held;
}

/** So many of the ring have to arrive, without those that people left out. Taking a ring back counts those alone that its plan takes back. */
export function haveToArrive(plan: CampaignPlan, ring: PlannedRing, members: Members): number {
  const counted = plan.rollbackOf === undefined ? members : members.filter(({ member }) => member.verdict.kind === 'upgrade');
  return Math.min(ring.succeed, counted.filter(({ is }) => leftOutOf(is) === undefined).length);
}

/** So many failures stop nothing. Those that are left out use up the budget first; what goes beyond it was accepted with them, and no more. */
export const mayFail = ({ canary, failures }: Pick<PlannedRing, 'canary' | 'failures'>, states: readonly MemberState[]): number =>
  canary ? 0 : Math.max(failures, states.filter((is) => hasFailed(is) && leftOutOf(is) !== undefined).length);

/** "; left out by ada: hardware is on order" */
export function leftOutText(is: MemberState): string {
  const out = leftOutOf(is);
  return out === undefined ? '' : `; left out by ${out.by}: ${out.why}`;
}

/** "dev-a is failed: its nodes did not come up; left out by ada: hardware is on order" */
export const leftOutLines = (members: Members): string[] =>
  members.flatMap(({ member, is }) =>
    leftOutOf(is) === undefined
      ? []
      : [`${nameAmong(members, member)} is ${is.kind}${'why' in is && is.why !== undefined ? `: ${is.why}` : ''}${leftOutText(is)}`],
  );
