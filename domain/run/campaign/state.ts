/** The state of a campaign, as it is carried from one of its runs in Temporal to the next: plain data, some 60 bytes a cluster. */
import { type CampaignPlan, memberKey, type PlannedMember, type PlannedRing } from '../../plan/campaign/types.ts';

/** By whom a cluster came to the target: a run of the campaign or one it adopted, somebody else meanwhile, or it was there before. */
export type ArrivedBy = 'run' | 'others' | 'before';

/** The ring goes on without it: who said so, and why. */
export interface LeftOut {
  by: string;
  why: string;
}

export type MemberState =
  | { kind: 'planned' }
  /** Not startable. `again`: when it is looked at again; absent: a person has to lift it or retry the ring. */
  | { kind: 'held'; why: string; again?: string; leftOut?: LeftOut }
  /** For its window. `opened`: it has had one opening since the ring began. */
  | { kind: 'waiting'; why: string; until?: string; opened?: true }
  /** `unread`: it could not be looked at the last time. */
  | { kind: 'running'; runId: string; since: string; phase?: string; adopted?: true; unread?: string }
  | { kind: 'needs-people'; runId: string; since: string; gate: string; phase?: string; adopted?: true; unread?: string }
  /** No progress for `stuckAfter`. `beside`: a person lets others start beside it. */
  | { kind: 'stuck'; runId: string; since: string; why: string; beside?: true; unread?: string; earlier?: true }
  | { kind: 'done'; by: ArrivedBy }
  | { kind: 'ahead' }
  /** `earlier`: in an attempt before. It was counted then, and the budget of this one does not count it again. */
  | { kind: 'failed'; why: string; earlier?: true; leftOut?: LeftOut }
  | { kind: 'rolled-back'; why: string; earlier?: true; leftOut?: LeftOut }
  | { kind: 'removed'; why: string; leftOut?: LeftOut }
  | { kind: 'unknown'; why: string; leftOut?: LeftOut };

export type MemberKind = MemberState['kind'];

export const RING_STATES = [
  'pending',
  'awaiting-approval',
  'running',
  'soaking',
  'stopped',
  'complete',
  'complete-with-exceptions',
] as const;

/** Time under watch, not time since. */
export interface Soak {
  /** ISO 8601: the last look, and what it saw. */
  at: string;
  seen: 'green' | 'red' | 'unread' | 'paused';
  watchedMs: number;
  /** Why it began anew, and when. */
  restarted?: { at: string; why: string };
  /** What is seen now, where that is not green. */
  why?: string;
}

export interface RingState {
  name: string;
  /** Counts up with each retry: an approval is of one attempt. */
  attempt: number;
  state: (typeof RING_STATES)[number];
  /** ISO 8601 */
  startedAt?: string;
  arrivedAt?: string;
  soak?: Soak;
  /** Why it does not go on, or with which exceptions it has ended. */
  why?: string;
}

/** Why nothing starts; every reason has to go. */
export interface PauseReason {
  by: 'person' | 'failures';
  why: string;
  at: string;
}

export interface CampaignState {
  campaign: string;
  /** Of the plan that was approved last. */
  planHash: string;
  phase: 'proposed' | 'running' | 'stopped' | 'complete';
  pauses: PauseReason[];
  /** Index of the ring that is worked on. */
  ring: number;
  rings: RingState[];
  /** By `account/region/name`. */
  members: Record<string, MemberState>;
}

export function initialState(plan: CampaignPlan): CampaignState {
  return {
    campaign: plan.campaign,
    planHash: plan.hash,
    phase: 'proposed',
    pauses: [],
    ring: 0,
    rings: plan.rings.map(({ name }, index) => ({ name, attempt: 1, state: index === 0 ? 'awaiting-approval' : 'pending' })),
    members: Object.fromEntries(
      plan.rings.flatMap(({ members }) => members.map((member) => [memberKey(member.cluster), firstState(member)])),
    ),
  };
}

/** As planned; what is refused waits for people, what is held is looked at when its ring begins. */
export function firstState({ verdict }: PlannedMember): MemberState {
  switch (verdict.kind) {
    case 'upgrade':
      return { kind: 'planned' };
    case 'done':
      return { kind: 'done', by: 'before' };
    case 'ahead':
      return { kind: 'ahead' };
    case 'held':
      return { kind: 'held', why: verdict.why, again: '' };
    case 'refused':
      return { kind: 'held', why: verdict.why };
  }
}

/** Whether a run of the cluster goes on: it has a slot. */
export const isActive = (state: MemberState | undefined): boolean =>
  state?.kind === 'running' || state?.kind === 'needs-people' || (state?.kind === 'stuck' && state.beside !== true);

/** Does a run of the cluster go on, with a slot or without? */
export const hasRun = (state: MemberState | undefined): state is Extract<MemberState, { runId: string }> =>
  isActive(state) || state?.kind === 'stuck';

export const hasArrived = ({ kind }: MemberState): boolean => kind === 'done' || kind === 'ahead';
export type FailedState = Extract<MemberState, { kind: 'failed' | 'rolled-back' | 'stuck' }>;

/** Stuck counts: nobody waits for it for ever. */
export const hasFailed = (state: MemberState): state is FailedState =>
  state.kind === 'failed' || state.kind === 'rolled-back' || state.kind === 'stuck';

export const leftOutOf = (state: MemberState): LeftOut | undefined => ('leftOut' in state ? state.leftOut : undefined);

/** Does it wait for somebody? What is held without another look is so until a person lifts it or retries the ring. */
export const needsPeople = (state: MemberState): boolean =>
  leftOutOf(state) === undefined &&
  (hasFailed(state) || state.kind === 'needs-people' || state.kind === 'unknown' || (state.kind === 'held' && state.again === undefined));

/** Does the budget of this attempt count it? What failed before and was left out since is counted in each. */
export const countsAsFailed = (state: MemberState): boolean =>
  hasFailed(state) && (state.earlier !== true || leftOutOf(state) !== undefined);

/** Its clusters with their states, in the plan's order. */
export function membersOf(state: CampaignState, ring: PlannedRing): { key: string; member: PlannedMember; is: MemberState }[] {
  return ring.members.map((member) => {
    const key = memberKey(member.cluster);
    return { key, member, is: state.members[key] ?? { kind: 'planned' } };
  });
}

/** By its name, and in full where another one has the same. */
export function nameAmong(all: readonly { member: PlannedMember }[], { cluster }: PlannedMember): string {
  const same = all.filter(({ member }) => member.cluster.name === cluster.name);
  return same.length > 1 ? memberKey(cluster) : cluster.name;
}

export const countKinds = (states: readonly MemberState[]): Partial<Record<MemberKind, number>> => {
  const counts: Partial<Record<MemberKind, number>> = {};
  for (const { kind } of states) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

export const withMember = (state: CampaignState, key: string, is: MemberState): CampaignState => ({
  ...state,
  members: { ...state.members, [key]: is },
});

export const withRing = (state: CampaignState, index: number, change: Partial<RingState>): CampaignState => ({
  ...state,
  rings: state.rings.map((ring, at) => (at === index ? { ...ring, ...change } : ring)),
});
