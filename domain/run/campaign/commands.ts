/** What people ask of a campaign. Each gives the state after it, or why nothing changes. */
import type { CampaignPlan, PlannedRing } from '../../plan/campaign/types.ts';
import { haveToArrive, isNamed, leaveOut, severalNamed } from './left-out.ts';
import {
  type CampaignState,
  firstState,
  hasArrived,
  hasFailed,
  hasRun,
  type LeftOut,
  leftOutOf,
  membersOf,
  type MemberState,
  nameAmong,
  type RingState,
  withMember,
  withRing,
} from './state.ts';

export type Changed = { state: CampaignState; said: string } | { refused: string };

export function pause(state: CampaignState, why: string, now: string): Changed {
  if (isOver(state)) return { refused: `The campaign is ${state.phase}: there is nothing to pause.` };
  if (state.pauses.some(({ by }) => by === 'person')) return { refused: 'The campaign is already paused.' };
  return {
    state: { ...state, pauses: [...state.pauses, { by: 'person', why, at: now }] },
    said: 'Paused: no further cluster starts. Running upgrades finish on their own.',
  };
}

export function resume(state: CampaignState): Changed {
  if (!state.pauses.some(({ by }) => by === 'person')) {
    const stopped = state.pauses.find(({ by }) => by === 'failures');
    if (stopped !== undefined)
      return {
        refused: `The campaign is not paused: its ring stopped (${stopped.why}). Fix that, then: belay campaign retry ${state.campaign}`,
      };
    return { refused: 'The campaign is not paused.' };
  }
  return { state: { ...state, pauses: state.pauses.filter(({ by }) => by !== 'person') }, said: 'Resumed.' };
}

/** Like AKS: what runs comes to its end, and nothing starts any more. */
export function stop(state: CampaignState): Changed {
  if (isOver(state)) return { refused: `The campaign is already ${state.phase}.` };
  return { state: { ...state, phase: 'stopped' }, said: 'Stopped: no further cluster starts. Running upgrades finish on their own.' };
}

export const RETRIABLE = ['failed', 'held', 'unknown', 'removed', 'stuck'] as const;
export type Retriable = (typeof RETRIABLE)[number];

export interface Retry {
  /** Absent: the ring that is worked on. */
  ring?: string;
  /** Absent: all that has not arrived. */
  only?: readonly Retriable[];
  /** Clusters that were rolled back or left out, by name: they stay so until somebody lifts them. */
  lift?: readonly string[];
  /** Clusters that the ring goes on without, by name. Takes a reason. */
  without?: readonly string[];
}

const NOBODY: LeftOut = { by: '', why: '' };

/** A new attempt of a ring, on the same plan: its gate is asked anew. A run that goes on stays as it is. `said`: by whom, and why. */
export function retry(
  state: CampaignState,
  plan: CampaignPlan,
  { ring: name, only = RETRIABLE, lift = [], without = [] }: Retry,
  said: LeftOut = NOBODY,
): Changed {
  if (isOver(state)) return { refused: `The campaign is ${state.phase}: no ring of it can be retried.` };
  const index = name === undefined ? state.ring : plan.rings.findIndex((ring) => ring.name === name);
  const ring = plan.rings[index];
  if (ring === undefined) return { refused: `There is no ring ${name}; the rings are: ${plan.rings.map((each) => each.name).join(', ')}.` };
  if (index !== state.ring)
    return { refused: `Ring ${ring.name} cannot be retried now: the current ring is ${plan.rings[state.ring]?.name}.` };
  const is = state.rings[index];
  if (is === undefined || !['running', 'stopped'].includes(is.state))
    return { refused: `Ring ${ring.name} is ${is?.state}: only a ring that is running or has stopped can be retried.` };
  const wrong = wrongLifts(state, ring, lift);
  if (wrong !== undefined) return { refused: wrong };
  const left = leaveOut(state, ring, { without, lift, ...said });
  if ('refused' in left) return left;
  let next = left.state;
  const again: string[] = [];
  const members = membersOf(next, ring);
  for (const { key, member, is: of } of members) {
    const isLifted = mayBeLifted(of) && lift.some((each) => isNamed(member, each));
    const isMeant = (only as readonly string[]).includes(of.kind) && leftOutOf(of) === undefined && !(of.kind === 'stuck' && hasRun(of));
    if (!isLifted && !isMeant) continue;
    again.push(nameAmong(members, member));
    next = withMember(next, key, retried(firstState(member)));
  }
  // A ring that stopped before it came to all of them, or whose stuck run has arrived since, goes on with what there is.
  const mayGoOn = without.length > 0 || (is.state === 'stopped' && only === RETRIABLE);
  if (again.length === 0 && !(mayGoOn && canGoOn(left.state, plan, ring)))
    return { refused: `Ring ${ring.name} has no cluster to retry${heldBack(left.state, ring)}.` };
  const asked = withRing(seen(next), index, {
    state: 'awaiting-approval',
    attempt: is.attempt + 1,
    why: undefined,
    soak: undefined,
    arrivedAt: undefined,
  });
  return {
    state: { ...asked, pauses: asked.pauses.filter(({ by }) => by !== 'failures') },
    said: `Ring ${ring.name} asks for approval again, attempt ${is.attempt + 1}${without.length === 0 ? '' : `, without ${without.join(', ')}`}${again.length === 0 ? withOthers(is) : `: ${again.join(', ')}`}.`,
  };
}

/** A ring whose gate nobody decided has not begun. */
const withOthers = ({ startedAt }: RingState): string => (startedAt === undefined ? '' : ', with the others');

const mayBeLifted = (is: MemberState): boolean => is.kind === 'rolled-back' || leftOutOf(is) !== undefined;

function wrongLifts(state: CampaignState, ring: PlannedRing, lift: readonly string[]): string | undefined {
  for (const each of lift) {
    const named = membersOf(state, ring).filter(({ member }) => isNamed(member, each));
    const [first] = named;
    if (first === undefined) return `Ring ${ring.name} has no cluster ${each}.`;
    if (named.length > 1) return severalNamed(each, named);
    if (!mayBeLifted(first.is)) return `${each} was not rolled back (it is ${first.is.kind}): there is nothing to lift.`;
  }
  return undefined;
}

/** What has failed up to now has been counted, and whoever retries has seen it. */
const seen = (state: CampaignState): CampaignState => ({
  ...state,
  members: Object.fromEntries(
    Object.entries(state.members).map(([key, is]) => [key, hasFailed(is) ? { ...is, earlier: true as const } : is]),
  ),
});

function canGoOn(state: CampaignState, plan: CampaignPlan, ring: PlannedRing): boolean {
  const members = membersOf(state, ring);
  const states = members.map(({ is }) => is);
  if (states.some(({ kind }) => GOING.includes(kind))) return true;
  const isBack = (is: MemberState): boolean => is.kind === 'rolled-back' && leftOutOf(is) === undefined;
  return !states.some(isBack) && states.filter(hasArrived).length >= haveToArrive(plan, ring, members);
}

const GOING: MemberState['kind'][] = ['planned', 'waiting', 'running', 'needs-people'];

/** What it was planned as may have changed since, and what had arrived may have gone back: it is looked at when the ring begins. */
const retried = (first: MemberState): MemberState => (first.kind === 'held' ? { ...first, again: '' } : { kind: 'planned' });

function heldBack(state: CampaignState, ring: PlannedRing): string {
  const members = membersOf(state, ring);
  const namesOf = (isOf: (is: MemberState) => boolean): string =>
    members.flatMap(({ member, is }) => (isOf(is) ? [nameAmong(members, member)] : [])).join(', ');
  const out = namesOf((is) => leftOutOf(is) !== undefined);
  const back = namesOf((is) => is.kind === 'rolled-back' && leftOutOf(is) === undefined);
  const stuck = namesOf(({ kind }) => kind === 'stuck');
  return [
    out === '' ? '' : `; ${out} stays left out until somebody lifts it (--lift NAME)`,
    back === '' ? '' : `; ${back} was rolled back and stays held until somebody lifts it (--lift NAME)`,
    stuck === '' ? '' : `; ${stuck} is stuck in a run that has not ended: decide at its gate, or abort that run`,
  ].join('');
}

/** Others may start beside a run that is stuck. */
export function goOnBeside(state: CampaignState, key: string): Changed {
  const is = state.members[key];
  if (is === undefined) return { refused: `The campaign has no cluster ${key}.` };
  if (is.kind !== 'stuck') return { refused: `${key} is not stuck (it is ${is.kind}), so nothing has to start beside it.` };
  return {
    state: withMember(state, key, { ...is, beside: true }),
    said: `${key} no longer takes up a slot, so others can start; its run continues.`,
  };
}

const isOver = ({ phase }: CampaignState): boolean => phase === 'stopped' || phase === 'complete';
