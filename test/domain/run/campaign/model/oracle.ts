/**
 * What a campaign has to be at, by the rules alone (parallel, failures, canaries, held and late clusters, soak, promotion, retry). It is told what happened
 * and never looks into the campaign's state.
 */
import type { CampaignPlan, PlannedMember, PlannedRing } from '../../../../../domain/plan/campaign/types.ts';

export const PERIOD_MS = 3_600_000;

type Is = 'untouched' | 'held' | 'window' | 'open' | 'stuck' | 'arrived' | 'failed' | 'back' | 'gone' | 'unknown';

export interface Mind {
  key: string;
  ring: number;
  member: PlannedMember;
  is: Is;
  /** Held or in wait of a window: from when it may be looked at. `begin`: from when its ring begins; absent: not before people say so. */
  due?: number | 'begin';
  hadOpening: boolean;
  beside: boolean;
  /** People have left it out. */
  out: boolean;
  /** Its failure was counted in an attempt before. */
  counted: boolean;
  runId: string;
  /** When its run began, or was first seen. */
  since: number;
  starts: number;
  mayStartTimes: number;
}

export class Oracle {
  readonly plan: CampaignPlan;
  readonly minds: Mind[];
  phase: 'proposed' | 'running' | 'stopped' | 'complete' = 'proposed';
  ring = 0;
  ringIs: 'pending' | 'asked' | 'working' | 'soaking' | 'halted' = 'asked';
  paused = false;
  halted = false;
  /** Of the soak that goes on: the moment of each look with what it saw. */
  looks: { atMs: number; seen: string }[] = [];

  constructor(plan: CampaignPlan, keyOf: (member: PlannedMember) => string) {
    this.plan = plan;
    this.minds = plan.rings.flatMap(({ members }, ring) =>
      members.map((member) => ({
        key: keyOf(member),
        ring,
        member,
        ...plannedAs(member),
        hadOpening: false,
        beside: false,
        out: false,
        counted: false,
        runId: '',
        since: 0,
        starts: 0,
        mayStartTimes: 1,
      })),
    );
  }

  of(key: string): Mind {
    const mind = this.minds.find((each) => each.key === key);
    if (mind === undefined) throw new Error(`no cluster ${key} in the plan`);
    return mind;
  }

  inRing = (ring: number): Mind[] => this.minds.filter((each) => each.ring === ring);
  get policy(): PlannedRing {
    const ring = this.plan.rings[this.ring];
    if (ring === undefined) throw new Error(`no ring ${this.ring}`);
    return ring;
  }

  /** Holds a slot. */
  holds = ({ is, beside }: Mind): boolean => is === 'open' || (is === 'stuck' && !beside);

  get mayStart(): boolean {
    return this.phase === 'running' && !this.paused && !this.halted;
  }

  /** May this cluster be started now, if there is a slot? */
  isEligible(mind: Mind, nowMs: number): boolean {
    if (!this.mayStart || mind.ring > this.ring) return false;
    const isDue = typeof mind.due === 'number' && mind.due <= nowMs;
    const isWorked = mind.ring === this.ring && this.ringIs === 'working';
    if (isWorked) return mind.is === 'untouched' || ((mind.is === 'held' || mind.is === 'window') && isDue);
    const isLate = mind.ring < this.ring || this.ringIs === 'soaking';
    return isLate && mind.is === 'window' && isDue;
  }

  /** Is one of the limits that hold for this cluster reached? `more` were started besides what the oracle knows. */
  isFull({ ring, member: { cluster } }: Mind, more: readonly Mind[]): boolean {
    const all = [...new Set([...this.minds.filter(this.holds), ...more])];
    const { parallel = Infinity, perAccount = Infinity, perRegion = Infinity } = this.plan.limits;
    const sameAccount = all.filter((each) => each.member.cluster.account === cluster.account);
    return (
      all.length >= parallel ||
      all.filter((each) => each.ring === ring).length >= (this.plan.rings[ring]?.parallel ?? 0) ||
      sameAccount.length >= perAccount ||
      sameAccount.filter((each) => each.member.cluster.region === cluster.region).length >= perRegion
    );
  }

  begin(nowMs: number): void {
    this.phase = 'running';
    this.ringIs = 'working';
    for (const mind of this.inRing(this.ring)) if (mind.due === 'begin') mind.due = nowMs;
  }

  /** As far as the rules take the ring now. */
  settle(): void {
    const at = (): string => `${this.phase} ${this.ring} ${this.ringIs}`;
    for (let before = ''; before !== at(); ) {
      before = at();
      this.#settleOnce();
    }
  }

  #settleOnce(): void {
    if (this.phase !== 'running' || this.ringIs === 'asked' || this.ringIs === 'halted') return;
    if (this.plan.rings.some((ring, index) => index <= this.ring && this.#isOver(ring, this.inRing(index)))) this.#halt();
    else if (this.ringIs === 'working') this.#settleWork();
    else if (this.ringIs === 'soaking') this.#settleSoak();
  }

  #isOver({ canary, failures }: PlannedRing, minds: Mind[]): boolean {
    const bad = minds.filter(({ is, counted, out }) => (!counted || out) && ['failed', 'back', 'stuck'].includes(is));
    const fresh = bad.filter(({ out }) => !out);
    const back = bad.filter(({ is }) => is === 'back');
    // Without a failure that people have not accepted nothing stops.
    return fresh.length > 0 && (bad.length > failures || canary || (back.length > 1 && back.some(({ out }) => !out)));
  }

  #halt(): void {
    this.ringIs = 'halted';
    this.halted = true;
  }

  #settleWork(): void {
    const minds = this.inRing(this.ring);
    if (minds.length === 0) return this.#pass();
    const are = (is: Is): Mind[] => minds.filter((each) => each.is === is);
    if (are('open').length + are('untouched').length > 0) return undefined;
    const isEnough = are('arrived').length >= this.#needed;
    if (isEnough && are('window').every(({ hadOpening }) => hadOpening)) {
      this.ringIs = 'soaking';
      this.looks = [];
      return undefined;
    }
    const mayYet = are('window').length > 0 || are('held').some(({ due }) => due !== undefined);
    return mayYet ? undefined : this.#halt();
  }

  /** Those that are left out do not have to arrive. */
  get #needed(): number {
    return Math.min(this.policy.succeed, this.inRing(this.ring).filter(({ out }) => !out).length);
  }

  /** Between two looks that both saw green, and at most two periods of it; what was before the last red does not count where it begins anew. */
  get watchedMs(): number {
    const lastRed = this.policy.soakOnRed === 'restart' ? this.looks.findLastIndex(({ seen }) => seen === 'red') : -1;
    let sumMs = 0;
    for (let index = Math.max(1, lastRed + 1); index < this.looks.length; index += 1) {
      const [one, other] = [this.looks[index - 1], this.looks[index]];
      if (one?.seen === 'green' && other?.seen === 'green') sumMs += Math.min(other.atMs - one.atMs, 2 * PERIOD_MS);
    }
    return sumMs;
  }

  #settleSoak(): void {
    const { soakMs } = this.policy;
    const isOver = soakMs === 0 || (this.watchedMs >= soakMs && this.looks.at(-1)?.seen === 'green');
    if (isOver && !this.paused && !this.halted) this.#pass();
  }

  #pass(): void {
    if (this.ring + 1 < this.plan.rings.length) {
      this.ring += 1;
      this.ringIs = 'pending';
    } else if (this.minds.every(({ is }) => is !== 'open')) this.phase = 'complete';
  }

  /** May people say that the ring goes on without these? */
  mayLeaveOut(keys: readonly string[], lift: boolean): boolean {
    const minds = this.inRing(this.ring);
    const meant = minds.filter(({ key }) => keys.includes(key));
    if (keys.length === 0) return true;
    const isNoRun = ({ is }: Mind): boolean => ['failed', 'back', 'held', 'gone', 'unknown'].includes(is);
    const isLifted = ({ is, out }: Mind): boolean => lift && (is === 'back' || out);
    const others = minds.filter(({ key, out }) => !out && !keys.includes(key));
    return !this.policy.canary && others.length > 0 && meant.every((mind) => isNoRun(mind) && !isLifted(mind));
  }

  /** Whether people may retry with this, and if so what follows. `lift`: those who went back or were left out. */
  retry(only: readonly string[] | undefined, lift: boolean, without: readonly string[]): boolean {
    if (this.phase !== 'running' || (this.ringIs !== 'working' && this.ringIs !== 'halted')) return false;
    const minds = this.inRing(this.ring);
    if (!this.mayLeaveOut(without, lift)) return false;
    const kinds = only ?? ['failed', 'held', 'unknown', 'gone'];
    const isOut = ({ key, out }: Mind): boolean => out || without.includes(key);
    const meant = minds.filter((mind) => (lift && (mind.is === 'back' || mind.out)) || (kinds.includes(mind.is) && !isOut(mind)));
    const isGoing = minds.some(({ is }) => ['untouched', 'window', 'open'].includes(is));
    const needed = Math.min(this.policy.succeed, minds.filter((mind) => !isOut(mind)).length);
    const isEnough =
      minds.every((mind) => mind.is !== 'back' || isOut(mind)) && minds.filter(({ is }) => is === 'arrived').length >= needed;
    const mayGoOn = without.length > 0 || (only === undefined && this.ringIs === 'halted');
    if (meant.length === 0 && !(mayGoOn && (isGoing || isEnough))) return false;
    for (const mind of minds) if (without.includes(mind.key)) Object.assign(mind, { out: true, due: undefined });
    for (const mind of meant) {
      const { verdict } = mind.member;
      const asPlanned =
        verdict.kind === 'held' || verdict.kind === 'refused'
          ? { is: 'held' as const, due: 'begin' as const }
          : { is: 'untouched' as const, due: undefined };
      Object.assign(mind, asPlanned, { counted: false, beside: false, out: false });
      mind.mayStartTimes = mind.starts + 1;
    }
    for (const mind of this.minds) if (['failed', 'back', 'stuck'].includes(mind.is)) mind.counted = true;
    this.halted = false;
    this.ringIs = 'asked';
    return true;
  }
}

function plannedAs({ verdict: { kind } }: PlannedMember): Pick<Mind, 'is' | 'due'> {
  if (kind === 'upgrade') return { is: 'untouched' };
  if (kind === 'done' || kind === 'ahead') return { is: 'arrived' };
  return kind === 'held' ? { is: 'held', due: 'begin' } : { is: 'held' };
}
