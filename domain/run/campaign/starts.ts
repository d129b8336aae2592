/** Which clusters start next, and what a start has come to. */
import type { CampaignPlan, PlannedMember } from '../../plan/campaign/types.ts';
import { type ArrivedBy, type CampaignState, hasRun, isActive, membersOf, type MemberState, withMember } from './state.ts';

/** What looking at a cluster and starting its run has come to. */
export type StartResult =
  | { kind: 'started'; runId: string; adopted?: true }
  | { kind: 'arrived'; by: ArrivedBy }
  | { kind: 'ahead' }
  | { kind: 'held'; why: string; again?: string }
  | { kind: 'waiting'; why: string; until?: string; opened?: true }
  | { kind: 'removed'; why: string }
  | { kind: 'unknown'; why: string; again: string };

/** Is anything of this campaign to be started at all? */
export const mayStart = ({ phase, pauses }: CampaignState): boolean => phase === 'running' && pauses.length === 0;

/**
 * Clusters to look at and start now, as many as there are slots for: the ring that runs, and before it those that an earlier ring went on without.
 * `now`: ISO 8601.
 */
export function nextStarts(state: CampaignState, plan: CampaignPlan, now: string): PlannedMember[] {
  if (!mayStart(state)) return [];
  const slots = new Slots(state, plan, now);
  const starts: PlannedMember[] = [];
  for (const [index, ring] of plan.rings.entries()) {
    if (index > state.ring) break;
    const { state: is } = state.rings[index] ?? { state: 'pending' };
    const isLate = index < state.ring || is === 'soaking';
    if (!isLate && is !== 'running') continue;
    if (is === 'stopped') continue;
    let left = ring.parallel - membersOf(state, ring).filter((each) => isActive(each.is)).length;
    for (const { member, is: of } of membersOf(state, ring)) {
      if (left <= 0) break;
      if (!isDue(of, now, isLate) || !slots.take(member)) continue;
      left -= 1;
      starts.push(member);
    }
  }
  return starts;
}

/** Until the next start that nothing but `startsPerMinute` holds up; undefined: there is none. */
export function nextStartInMs(state: CampaignState, plan: CampaignPlan, now: string): number | undefined {
  const { startsPerMinute, ...limits } = plan.limits;
  if (startsPerMinute === undefined || nextStarts(state, plan, now).length > 0) return undefined;
  if (nextStarts(state, { ...plan, limits }, now).length === 0) return undefined;
  const agesMs = Object.values(state.members).flatMap((is) => (hasRun(is) ? [ageMs(is, now)] : []));
  return Math.max(0, MINUTE_MS - Math.max(...agesMs.filter((age) => age < MINUTE_MS)));
}

const MINUTE_MS = 60_000;
const ageMs = ({ since }: { since: string }, now: string): number => Date.parse(now) - Date.parse(since);

/** What an earlier ring went on without are those that wait for their windows. */
function isDue(is: MemberState, now: string, isLate: boolean): boolean {
  switch (is.kind) {
    case 'planned':
      return !isLate;
    case 'waiting':
      return is.until === undefined || is.until <= now;
    case 'held':
      return !isLate && is.again !== undefined && is.again <= now;
    default:
      return false;
  }
}

/** The limits that hold over all rings. */
class Slots {
  readonly #limits: CampaignPlan['limits'];
  #all = 0;
  readonly #byAccount = new Map<string, number>();
  readonly #byRegion = new Map<string, number>();
  /** Of the last minute. */
  readonly #starts = new Map<string, number>();

  constructor(state: CampaignState, plan: CampaignPlan, now: string) {
    this.#limits = plan.limits;
    for (const ring of plan.rings)
      for (const { member, is } of membersOf(state, ring)) {
        if (isActive(is)) this.#add(member);
        if (hasRun(is) && ageMs(is, now) < MINUTE_MS) this.#started(member);
      }
  }

  take(member: PlannedMember): boolean {
    const { parallel = Infinity, perAccount = Infinity, perRegion = Infinity, startsPerMinute = Infinity } = this.#limits;
    const { account, region } = member.cluster;
    const isFull =
      this.#all >= parallel ||
      this.#of(this.#byAccount, account) >= perAccount ||
      this.#of(this.#byRegion, `${account}/${region}`) >= perRegion ||
      this.#of(this.#starts, `${account}/${region}`) >= startsPerMinute;
    if (isFull) return false;
    this.#add(member);
    this.#started(member);
    return true;
  }

  #started({ cluster: { account, region } }: PlannedMember): void {
    this.#starts.set(`${account}/${region}`, this.#of(this.#starts, `${account}/${region}`) + 1);
  }

  #add({ cluster: { account, region } }: PlannedMember): void {
    this.#all += 1;
    this.#byAccount.set(account, this.#of(this.#byAccount, account) + 1);
    this.#byRegion.set(`${account}/${region}`, this.#of(this.#byRegion, `${account}/${region}`) + 1);
  }

  #of(counts: Map<string, number>, key: string): number {
    return counts.get(key) ?? 0;
  }
}

export function applyStart(state: CampaignState, key: string, result: StartResult, now: string): CampaignState {
  switch (result.kind) {
    case 'started':
      return withMember(state, key, {
        kind: 'running',
        runId: result.runId,
        since: now,
        ...(result.adopted === true ? { adopted: true } : {}),
      });
    case 'arrived':
      return withMember(state, key, { kind: 'done', by: result.by });
    case 'ahead':
      return withMember(state, key, { kind: 'ahead' });
    case 'waiting': {
      const before = state.members[key];
      const opened = result.opened === true || (before?.kind === 'waiting' && before.opened === true);
      const { why, until } = result;
      return withMember(state, key, {
        kind: 'waiting',
        why,
        ...(until === undefined ? {} : { until }),
        ...(opened ? { opened: true } : {}),
      });
    }
    case 'held': {
      const { why, again } = result;
      return withMember(state, key, { kind: 'held', why, ...(again === undefined ? {} : { again }) });
    }
    case 'removed':
      return withMember(state, key, { kind: 'removed', why: result.why });
    case 'unknown':
      // As long as it may be looked at again, nobody knows more than that it was not startable.
      return withMember(state, key, { kind: 'held', why: result.why, again: result.again });
  }
}
