/** What people ask of a campaign. Each gives the state after it, or why nothing changes. */
import type { CampaignPlan } from '../../plan/campaign/types.ts';
import { type CampaignState, firstState, hasRun, membersOf, type MemberState, withMember, withRing } from './state.ts';

export type Changed = { state: CampaignState; said: string } | { refused: string };

export function pause(state: CampaignState, why: string, now: string): Changed {
  if (isOver(state)) return { refused: `The campaign is ${state.phase}: there is nothing to pause.` };
  if (state.pauses.some(({ by }) => by === 'person')) return { refused: 'The campaign is paused already.' };
  return {
    state: { ...state, pauses: [...state.pauses, { by: 'person', why, at: now }] },
    said: 'Paused: no further cluster starts. Runs that go on come to their own end.',
  };
}

export function resume(state: CampaignState): Changed {
  if (!state.pauses.some(({ by }) => by === 'person')) {
    const stopped = state.pauses.find(({ by }) => by === 'failures');
    if (stopped !== undefined)
      return {
        refused: `Nobody paused the campaign: its ring stopped (${stopped.why}). Mend that, then: belay campaign retry ${state.campaign}`,
      };
    return { refused: 'The campaign is not paused.' };
  }
  return { state: { ...state, pauses: state.pauses.filter(({ by }) => by !== 'person') }, said: 'Resumed.' };
}

/** Like AKS: what runs comes to its end, and nothing starts any more. */
export function stop(state: CampaignState): Changed {
  if (isOver(state)) return { refused: `The campaign is ${state.phase} already.` };
  return { state: { ...state, phase: 'stopped' }, said: 'Stopped: no further cluster starts. Runs that go on come to their own end.' };
}

export const RETRIABLE = ['failed', 'held', 'unknown', 'removed', 'stuck'] as const;
export type Retriable = (typeof RETRIABLE)[number];

export interface Retry {
  /** Absent: the ring that is worked on. */
  ring?: string;
  /** Absent: all that has not arrived. */
  only?: readonly Retriable[];
  /** Clusters that were rolled back, by name: they are held until somebody lifts them. */
  lift?: readonly string[];
}

/** A new attempt of a ring, on the same plan: its gate is asked anew. A run that goes on stays as it is. */
export function retry(state: CampaignState, plan: CampaignPlan, { ring: name, only = RETRIABLE, lift = [] }: Retry): Changed {
  if (state.phase !== 'running') return { refused: `The campaign is ${state.phase}: no ring of it can be retried.` };
  const index = name === undefined ? state.ring : plan.rings.findIndex((ring) => ring.name === name);
  const ring = plan.rings[index];
  if (ring === undefined) return { refused: `There is no ring ${name}; there are: ${plan.rings.map((each) => each.name).join(', ')}.` };
  if (index !== state.ring)
    return { refused: `Ring ${ring.name} is not the one that is worked on, which is ${plan.rings[state.ring]?.name}.` };
  const is = state.rings[index];
  if (is === undefined || !['running', 'stopped'].includes(is.state))
    return { refused: `Ring ${ring.name} is ${is?.state}: only a ring that runs or has stopped can be retried.` };
  let next = state;
  const again: string[] = [];
  for (const { key, member, is: of } of membersOf(state, ring)) {
    const isLifted = of.kind === 'rolled-back' && lift.includes(member.cluster.name);
    const isMeant = (only as readonly string[]).includes(of.kind) && !(of.kind === 'stuck' && hasRun(of));
    if (!isLifted && !isMeant) continue;
    again.push(member.cluster.name);
    next = withMember(next, key, retried(firstState(member)));
  }
  const unknown = lift.filter((each) => !ring.members.some(({ cluster }) => cluster.name === each));
  if (unknown.length > 0) return { refused: `Ring ${ring.name} has no cluster ${unknown.join(', ')}.` };
  if (again.length === 0) return { refused: `Ring ${ring.name} has no cluster to retry${heldBack(state, ring)}.` };
  const asked = withRing(next, index, {
    state: 'awaiting-approval',
    attempt: is.attempt + 1,
    why: undefined,
    soak: undefined,
    arrivedAt: undefined,
  });
  return {
    state: { ...asked, pauses: asked.pauses.filter(({ by }) => by !== 'failures') },
    said: `Ring ${ring.name} is asked for anew, attempt ${is.attempt + 1}: ${again.join(', ')}.`,
  };
}

/** What it was planned as may have changed since: it is looked at when the ring begins. */
const retried = (first: MemberState): MemberState => (first.kind === 'held' ? { ...first, again: '' } : first);

function heldBack(state: CampaignState, ring: CampaignPlan['rings'][number]): string {
  const back = membersOf(state, ring).filter(({ is }) => is.kind === 'rolled-back');
  if (back.length === 0) return '';
  return `; ${back.map(({ member }) => member.cluster.name).join(', ')} went back and stays held until somebody lifts it (--lift NAME)`;
}

/** Others may start beside a run that is stuck. */
export function goOnBeside(state: CampaignState, key: string): Changed {
  const is = state.members[key];
  if (is?.kind !== 'stuck') return { refused: `${key} is not stuck, so it holds its slot.` };
  return { state: withMember(state, key, { ...is, beside: true }), said: `${key} gives its slot to others; its run goes on.` };
}

const isOver = ({ phase }: CampaignState): boolean => phase === 'stopped' || phase === 'complete';
