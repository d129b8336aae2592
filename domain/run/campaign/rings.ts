/** When a ring has arrived, when it stops, when the next one begins. */
import { defined } from '../../core/defined.ts';
import { agree, count, someOf } from '../../core/text.ts';
import type { CampaignPlan, PlannedRing } from '../../plan/campaign/types.ts';
import { haveToArrive, leftOutText, mayFail } from './left-out.ts';
import { soakLeftMs, startSoak } from './soak.ts';
import { mayStart, nextStarts } from './starts.ts';
import {
  type CampaignState,
  countsAsFailed,
  hasArrived,
  isActive,
  leftOutOf,
  membersOf,
  type MemberState,
  nameAmong,
  type RingState,
  withMember,
  withRing,
} from './state.ts';

/** So many clusters of one ring that were rolled back stop it, whatever its budget. */
const ROLLED_BACK_STOP = 2;

/** The ring is approved: clusters that its plan starts become due. An approval that comes too late changes nothing. */
export function beginRing(state: CampaignState, plan: CampaignPlan, now: string): CampaignState {
  const ring = plan.rings[state.ring];
  const is = state.rings[state.ring]?.state;
  const isAsked = is === 'pending' || is === 'awaiting-approval';
  if (ring === undefined || !isAsked || state.phase === 'stopped' || state.phase === 'complete') return state;
  let next = withRing({ ...state, phase: 'running' }, state.ring, { state: 'running', startedAt: now, why: undefined });
  // Held when the plan was made: that is looked at now.
  for (const { key, is: of } of membersOf(state, ring))
    if (of.kind === 'held' && of.again === '') next = withMember(next, key, { ...of, again: now });
  return next;
}

/** Takes the ring that is worked on as far as its clusters and its soak allow. Pure, and the same when asked again. */
export function settle(state: CampaignState, plan: CampaignPlan, now: string): CampaignState {
  const next = settleOnce(state, plan, now);
  return next === state ? state : settle(next, plan, now);
}

function settleOnce(state: CampaignState, plan: CampaignPlan, now: string): CampaignState {
  if (state.phase !== 'running') return state;
  const [ring, is] = [plan.rings[state.ring], state.rings[state.ring]];
  if (ring === undefined || is === undefined) return state;
  if (is.state !== 'pending' && is.state !== 'running' && is.state !== 'soaking') return state;
  const stop = firstStop(state, plan);
  if (stop !== undefined) return stopped(state, stop, now);
  if (is.state === 'pending') return said(state, canPromote(state, plan) ? undefined : whyNotPromoted(state, ring));
  return is.state === 'running' ? settleRunning(state, plan, ring, now) : settleSoaking(state, plan, ring, is);
}

function settleRunning(state: CampaignState, plan: CampaignPlan, ring: PlannedRing, now: string): CampaignState {
  const members = membersOf(state, ring);
  if (members.length === 0) return passed(state, plan, 'it has no cluster');
  const states = members.map(({ is }) => is);
  const arrived = states.filter(hasArrived).length;
  const needed = haveToArrive(plan, ring, members);
  const isEnough = arrived >= needed;
  // One that is stuck counts as failed: the ring does not wait for it, but its slot is taken.
  if (states.some((each) => isActive(each) && each.kind !== 'stuck')) return said(state, undefined);
  if (states.some(({ kind }) => kind === 'planned')) return said(state, whyNoneStarts(state, plan, now));
  const waits = states.filter(({ kind }) => kind === 'waiting');
  const held = states.filter((each) => each.kind === 'held' && each.again !== undefined);
  // One that has had its opening, or that is not needed, does not hold up the others: it may still run in its windows.
  const waitsFor = waits.filter((each) => each.kind === 'waiting' && each.opened !== true);
  if (isEnough && waitsFor.length === 0) {
    return withRing(state, state.ring, { state: 'soaking', arrivedAt: now, soak: startSoak(now), ...exceptions(members, waits.length) });
  }
  if (waits.length + held.length > 0)
    return said(state, `${arrived} of ${count(needed, 'required cluster')} done; waiting for ${named(members, ['waiting', 'held'])}`);
  return stopped(
    state,
    `only ${arrived} of ${count(ring.members.length, 'cluster')} succeeded, and ${needed} must: ${named(members, UNARRIVED)}`,
    now,
  );
}

/**
 * What the ring that is worked on waits for, where nothing of it goes on and nobody is asked: it may stay so for ever. Windows open by themselves.
 * `begun`: the ring was approved; one that comes next has no cluster that can start.
 */
export type Standstill = { ring: string } & (
  | { kind: 'held'; begun: boolean; why: string }
  | { kind: 'soak'; seen: 'red' | 'unread'; why?: string }
);

export function standstillOf(state: CampaignState, plan: CampaignPlan): Standstill | undefined {
  const [ring, is] = [plan.rings[state.ring], state.rings[state.ring]];
  if (ring === undefined || is === undefined || !mayStart(state)) return undefined;
  const { seen, why } = is.soak ?? {};
  if (is.state === 'soaking')
    return seen === 'red' || seen === 'unread' ? { kind: 'soak', ring: ring.name, seen, ...defined({ why }) } : undefined;
  const members = membersOf(state, ring);
  const goesOn = members.some(({ is: of }) => of.kind === 'planned' || (isActive(of) && of.kind !== 'stuck'));
  const held = members.filter(({ is: of }) => of.kind === 'held' && of.again !== undefined);
  const isUp = is.state === 'running' || (is.state === 'pending' && !canPromote(state, plan));
  if (!isUp || goesOn || held.length === 0) return undefined;
  return { kind: 'held', ring: ring.name, begun: is.state === 'running', why: named(held, ['held'], members) };
}

const UNARRIVED: MemberState['kind'][] = ['held', 'failed', 'rolled-back', 'stuck', 'removed', 'unknown'];

type Members = ReturnType<typeof membersOf>;

/** Of the ring that is worked on, or of one before it: its late clusters still ran, or what had arrived there went back. */
function firstStop(state: CampaignState, plan: CampaignPlan): string | undefined {
  for (const [index, ring] of plan.rings.slice(0, state.ring + 1).entries()) {
    const why = whyStopped(ring, membersOf(state, ring));
    if (why !== undefined) return index === state.ring ? why : `ring ${ring.name}: ${why}`;
  }
  return undefined;
}

/** Runs that are stuck may hold all slots; nothing starts beside them until somebody says so. */
function whyNoneStarts(state: CampaignState, plan: CampaignPlan, now: string): string | undefined {
  if (!mayStart(state) || nextStarts(state, plan, now).length > 0) return undefined;
  const all = plan.rings.flatMap((ring) => membersOf(state, ring));
  return `no slot is free: ${named(
    all.filter(({ is }) => isActive(is)),
    ['stuck', 'running', 'needs-people'],
  )}`;
}

const whyNotPromoted = (state: CampaignState, ring: PlannedRing): string =>
  `none of its clusters can start: ${named(membersOf(state, ring), UNARRIVED)}`;

/** The first reason for which nothing more of the ring may start; what runs comes to its own end. */
function whyStopped(ring: PlannedRing, members: Members): string | undefined {
  const failed = members.filter(({ is }) => countsAsFailed(is));
  const back = failed.filter(({ is }) => is.kind === 'rolled-back');
  if (failed.length === 0) return undefined;
  if (ring.canary) return `canary ${named(failed, ['failed', 'rolled-back', 'stuck'], members)}`;
  const isNew = back.some(({ is }) => leftOutOf(is) === undefined);
  if (back.length >= ROLLED_BACK_STOP && isNew)
    return `${count(back.length, 'cluster')} rolled back: ${named(back, ['rolled-back'], members)}`;
  const allowed = mayFail(
    ring,
    members.map(({ is }) => is),
  );
  if (failed.length <= allowed) return undefined;
  return `${count(failed.length, 'failure')}, and at most ${allowed} allowed: ${named(failed, ['failed', 'rolled-back', 'stuck'], members)}`;
}

function stopped(state: CampaignState, why: string, now: string): CampaignState {
  const at = withRing(state, state.ring, { state: 'stopped', why });
  return { ...at, pauses: [...at.pauses.filter(({ by }) => by !== 'failures'), { by: 'failures', why, at: now }] };
}

/** Nobody decided about the ring in time: that is no yes, and no no either. */
export const undecided = (state: CampaignState, now: string): CampaignState => stopped(state, UNDECIDED, now);
const UNDECIDED = 'nobody decided at its gate in time';

const said = (state: CampaignState, why: string | undefined): CampaignState =>
  state.rings[state.ring]?.why === why ? state : withRing(state, state.ring, { why });

/** "prod-a (failed: …), prod-b (held: …)". `all`: among which the names have to be told apart. */
function named(members: Members, kinds: readonly MemberState['kind'][], all: Members = members): string {
  return someOf(
    members
      .filter(({ is }) => kinds.includes(is.kind))
      .map(
        ({ member, is }) =>
          `${nameAmong(all, member)} (${is.kind}${'why' in is && is.why !== undefined ? `: ${is.why}` : ''}${leftOutText(is)})`,
      ),
  );
}

function exceptions(members: Members, late: number): Pick<RingState, 'why'> {
  const not = members.filter(({ is }) => !hasArrived(is));
  if (not.length === 0) return { why: undefined };
  return {
    why: `${not.length} of ${count(members.length, 'cluster')} ${agree(not.length, 'is', 'are')} not at the target${late > 0 ? `, ${late} may still get there` : ''}: ${named(not, [...UNARRIVED, 'waiting'])}`,
  };
}

function settleSoaking(state: CampaignState, plan: CampaignPlan, ring: PlannedRing, { soak }: RingState): CampaignState {
  if (soak === undefined || soakLeftMs(soak, ring) > 0 || state.pauses.length > 0) return state;
  // What was not read is no green, however long it was watched before.
  if (ring.soakMs > 0 && soak.seen !== 'green') return state;
  // Those that were late may have arrived meanwhile.
  return passed(state, plan, exceptions(membersOf(state, ring), 0).why);
}

function passed(state: CampaignState, plan: CampaignPlan, why: string | undefined): CampaignState {
  const ended = withRing(state, state.ring, { state: why === undefined ? 'complete' : 'complete-with-exceptions', why });
  const next = state.ring + 1;
  const following = plan.rings[next];
  if (following === undefined) {
    const late = plan.rings.flatMap((ring) => membersOf(state, ring)).filter(({ is }) => isActive(is) && is.kind !== 'stuck');
    return late.length === 0 ? { ...ended, phase: 'complete' } : said(state, `waiting for ${named(late, ['running', 'needs-people'])}`);
  }
  return { ...withRing(ended, next, { state: 'pending', why: undefined }), ring: next };
}

/** Has the ring that comes next a cluster that can start? Its gate opens no sooner. */
export function canPromote(state: CampaignState, plan: CampaignPlan): boolean {
  const ring = plan.rings[state.ring];
  if (ring === undefined || state.rings[state.ring]?.state !== 'pending') return false;
  const members = membersOf(state, ring);
  const states = members.map(({ is }) => is);
  // A ring without anything to do, or of which enough are there, is passed by whoever approves it, too.
  return states.some(({ kind }) => kind === 'planned') || states.filter(hasArrived).length >= haveToArrive(plan, ring, members);
}
