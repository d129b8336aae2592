/** A campaign as its workflow drives it, in a world that dice make, beside the oracle: after each step both have to say the same. */
import { memberKey, type CampaignPlan } from '../../../../../domain/plan/campaign/types.ts';
import { type Changed, goOnBeside, pause, resume, type Retriable, retry, stop } from '../../../../../domain/run/campaign/commands.ts';
import { applyLook, type Look } from '../../../../../domain/run/campaign/looks.ts';
import { beginRing, canPromote, settle } from '../../../../../domain/run/campaign/rings.ts';
import { type HealthReading, lookAtSoak } from '../../../../../domain/run/campaign/soak.ts';
import { applyStart, nextStarts, type StartResult } from '../../../../../domain/run/campaign/starts.ts';
import { type CampaignState, initialState, leftOutOf, withRing } from '../../../../../domain/run/campaign/state.ts';
import { type Mind, Oracle, PERIOD_MS } from './oracle.ts';

export const STUCK_MS = 6 * PERIOD_MS;

/** Numbers below a hundred, used one after the other and then again. */
export type Dice = readonly number[];

export type Step =
  | { kind: 'tick'; halfHours: number; dice: Dice; health: HealthReading['seen'] }
  | { kind: 'approve' | 'pause' | 'resume' | 'stop' | 'restart' }
  | { kind: 'retry'; only?: Retriable[]; lift: boolean; without: number[] }
  | { kind: 'beside'; which: number };

const KIND_OF: Record<string, Mind['is']> = {
  planned: 'untouched',
  held: 'held',
  waiting: 'window',
  running: 'open',
  'needs-people': 'open',
  stuck: 'stuck',
  done: 'arrived',
  ahead: 'arrived',
  failed: 'failed',
  'rolled-back': 'back',
  removed: 'gone',
  unknown: 'unknown',
};
const RING_OF: Record<string, string> = {
  pending: 'pending',
  'awaiting-approval': 'asked',
  running: 'working',
  soaking: 'soaking',
  stopped: 'halted',
};

export class World {
  readonly plan: CampaignPlan;
  readonly oracle: Oracle;
  state: CampaignState;
  nowMs = Date.parse('2026-11-26T12:00:00.000Z');
  #runs = 0;

  constructor(plan: CampaignPlan) {
    this.plan = plan;
    this.state = initialState(plan);
    this.oracle = new Oracle(plan, ({ cluster }) => memberKey(cluster));
  }

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  play(step: Step): void {
    switch (step.kind) {
      case 'tick':
        this.#tick(step);
        break;
      case 'approve':
        this.#approve();
        break;
      case 'restart':
        this.state = JSON.parse(JSON.stringify(this.state)) as CampaignState;
        break;
      case 'pause':
        this.#command(pause(this.state, 'incident', this.now), this.#isGoing && !this.oracle.paused, () => (this.oracle.paused = true));
        break;
      case 'resume':
        this.#command(resume(this.state), this.oracle.paused, () => (this.oracle.paused = false));
        break;
      case 'stop':
        this.#command(stop(this.state), this.#isGoing, () => (this.oracle.phase = 'stopped'));
        break;
      case 'retry':
        this.#retry(step);
        break;
      case 'beside':
        this.#beside(step.which);
    }
    this.#compare(step.kind);
  }

  get #isGoing(): boolean {
    return this.oracle.phase === 'proposed' || this.oracle.phase === 'running';
  }

  #tick({ halfHours, dice, health }: Extract<Step, { kind: 'tick' }>): void {
    this.nowMs += (halfHours * PERIOD_MS) / 2;
    let at = 0;
    const roll = (): number => dice[at++ % dice.length] ?? 0;
    for (const mind of this.oracle.minds) this.#look(mind, roll);
    this.#watch(health);
    this.#settle();
    this.#promote();
    this.#start(roll);
    this.#settle();
  }

  /** Of each run, and of what has arrived; some looks are lost and some come twice. */
  #look(mind: Mind, roll: () => number): void {
    const hasRun = mind.is === 'open' || mind.is === 'stuck';
    if (!hasRun && mind.is !== 'arrived') return;
    const [what, how] = [roll(), roll()];
    if (how < 10) return;
    const look = hasRun ? this.#lookAtRun(mind, what, how) : lookAtArrived(what);
    const times = how > 90 ? 2 : 1;
    for (let time = 0; time < times; time += 1) this.state = applyLook(this.state, mind.key, look, this.now, STUCK_MS);
    this.#learn(mind, look);
  }

  #lookAtRun({ runId }: Mind, what: number, how: number): Look {
    const ended = (outcome: 'completed' | 'failed' | 'rolled-back'): Look => ({ kind: 'ended', runId, outcome, why: 'so it ended' });
    if (what < 25) return ended('completed');
    if (what < 30) return ended('failed');
    if (what < 34) return ended('rolled-back');
    if (what < 36) return { kind: 'gone', why: 'EKS does not know it' };
    if (what < 38) return { kind: 'forgotten', why: 'no record' };
    if (what < 45) return { kind: 'unread', why: 'throttled' };
    const progressMs = this.nowMs - (how % 4) * 3 * PERIOD_MS;
    return {
      kind: 'open',
      // People may have started another one in its place.
      runId: how % 10 === 9 ? `run-${(this.#runs += 1)}` : runId,
      ...(what % 3 === 0 ? { gate: 'g' } : { phase: 'control-plane' }),
      ...(what < 75 ? { progressAt: new Date(progressMs).toISOString() } : {}),
    };
  }

  #learn(mind: Mind, look: Look): void {
    if (mind.is === 'arrived') {
      if (look.kind === 'gone') mind.is = 'gone';
      if (look.kind === 'ended' && look.outcome === 'rolled-back') mind.is = 'back';
      return;
    }
    const wasCounted = mind.is === 'stuck' && mind.counted;
    if (look.kind === 'open') {
      if (look.runId !== mind.runId) Object.assign(mind, { runId: look.runId, since: this.nowMs });
      const quietMs = this.nowMs - Math.max(mind.since, Date.parse(look.progressAt ?? '1970-01-01'));
      const isStuck = quietMs >= STUCK_MS;
      Object.assign(mind, { is: isStuck ? 'stuck' : 'open', ...(isStuck ? {} : { beside: false, counted: false }) });
    } else if (look.kind !== 'unread') {
      mind.is =
        look.kind === 'ended'
          ? ({ completed: 'arrived', failed: 'failed', 'rolled-back': 'back' } as const)[look.outcome]
          : look.kind === 'gone'
            ? 'failed'
            : 'unknown';
      mind.counted = wasCounted && mind.is === 'failed';
      mind.beside = false;
    }
  }

  #watch(health: HealthReading['seen']): void {
    const { ring } = this.state;
    const soak = this.state.rings[ring]?.soak;
    const policy = this.plan.rings[ring];
    if (this.state.rings[ring]?.state !== 'soaking' || soak === undefined || policy === undefined || this.state.phase !== 'running') return;
    const isPaused = this.state.pauses.length > 0;
    const looked = lookAtSoak(soak, isPaused ? 'paused' : { seen: health }, {
      now: this.now,
      everyMs: PERIOD_MS,
      soakOnRed: policy.soakOnRed,
    });
    this.state = withRing(this.state, ring, { soak: looked });
    this.oracle.looks.push({ atMs: this.nowMs, seen: isPaused ? 'paused' : health });
    hold(looked.watchedMs === this.oracle.watchedMs, `watched ${looked.watchedMs} ms, by the looks ${this.oracle.watchedMs}`);
  }

  /** Twice is the same as once. */
  #settle(): void {
    this.state = settle(this.state, this.plan, this.now);
    this.oracle.settle();
    this.#compare('settle');
    hold(settle(this.state, this.plan, this.now) === this.state, 'settled twice is not settled once');
  }

  #promote(): void {
    if (this.oracle.phase !== 'running' || this.oracle.ringIs !== 'pending' || !canPromote(this.state, this.plan)) return;
    if (this.oracle.policy.promotion === 'after-soak') {
      this.state = beginRing(this.state, this.plan, this.now);
      this.oracle.begin(this.nowMs);
      this.#settle();
      // A ring without clusters is passed at once.
      this.#promote();
    } else {
      this.state = withRing(this.state, this.state.ring, { state: 'awaiting-approval' });
      this.oracle.ringIs = 'asked';
    }
  }

  /** An approval is pressed at any time, and only where it is asked for does it begin anything. */
  #approve(): void {
    const isAsked = this.oracle.ringIs === 'asked' && this.#isGoing;
    if (this.oracle.ringIs === 'pending') return;
    this.state = beginRing(this.state, this.plan, this.now);
    if (isAsked) this.oracle.begin(this.nowMs);
    this.#settle();
  }

  #start(roll: () => number): void {
    const starts = nextStarts(this.state, this.plan, this.now).map(({ cluster }) => this.oracle.of(memberKey(cluster)));
    hold(new Set(starts).size === starts.length, 'a cluster is to be started twice at once');
    starts.forEach((mind, index) => {
      hold(this.oracle.isEligible(mind, this.nowMs), `${mind.key} must not start: it is ${mind.is}, ring ${this.oracle.ringIs}`);
      hold(!this.oracle.isFull(mind, starts.slice(0, index)), `${mind.key} is one more than a limit allows`);
    });
    for (const mind of this.oracle.minds)
      if (!starts.includes(mind) && this.oracle.isEligible(mind, this.nowMs))
        hold(this.oracle.isFull(mind, starts), `${mind.key} is forgotten: it may start, and no limit is reached`);
    for (const mind of starts) this.#startOne(mind, roll());
    this.#compare('starts');
    if (starts.length === 0 && !this.oracle.minds.some(({ is }) => is === 'open')) this.#saysWhy();
  }

  #startOne(mind: Mind, die: number): void {
    const again = new Date(this.nowMs + (die % 5) * PERIOD_MS).toISOString();
    const result = startResult(die, again, `run-${(this.#runs += 1)}`);
    this.state = applyStart(this.state, mind.key, result, this.now);
    const waited = mind.is === 'window';
    const is = (
      { started: 'open', arrived: 'arrived', ahead: 'arrived', held: 'held', waiting: 'window', removed: 'gone', unknown: 'held' } as const
    )[result.kind];
    const due =
      result.kind === 'held' || result.kind === 'unknown'
        ? result.again
        : result.kind === 'waiting'
          ? (result.until ?? this.now)
          : undefined;
    Object.assign(mind, { is, due: due === undefined ? undefined : Date.parse(due), since: this.nowMs, counted: false, beside: false });
    // Whoever no longer waits is asked about openings anew.
    mind.hadOpening = result.kind === 'waiting' && (result.opened === true || (waited && mind.hadOpening));
    if (result.kind !== 'started') return;
    mind.runId = result.runId;
    mind.starts += 1;
    hold(mind.starts <= mind.mayStartTimes, `${mind.key} was started twice, and nobody retried it`);
  }

  #saysWhy(): void {
    const { phase, pauses, rings, ring } = this.state;
    const is = rings[ring];
    const says =
      phase !== 'running' || pauses.length > 0 || is?.state === 'awaiting-approval' || is?.state === 'soaking' || (is?.why ?? '') !== '';
    hold(says, `nothing goes on, nothing may start, and ring ${is?.name} (${is?.state}) does not say why`);
  }

  #retry({ only, lift, without: which }: Extract<Step, { kind: 'retry' }>): void {
    const minds = this.oracle.inRing(this.oracle.ring);
    const back = minds.flatMap(({ key, is, out }) => (is === 'back' || out ? [key] : []));
    const without = [...new Set(which.flatMap((each) => minds[each]?.key ?? []))];
    const of = { ...(only === undefined ? {} : { only }), ...(lift ? { lift: back } : {}), without };
    const asked = retry(this.state, this.plan, of, { by: 'ada', why: 'hardware is on order' });
    const kinds = only?.map((each) => ({ failed: 'failed', held: 'held', unknown: 'unknown', removed: 'gone', stuck: 'never' })[each]);
    const follows = this.oracle.retry(kinds, lift, without);
    this.#command(asked, follows, () => undefined);
  }

  #beside(which: number): void {
    const mind = this.oracle.minds[which % Math.max(1, this.oracle.minds.length)];
    if (mind === undefined) return;
    this.#command(goOnBeside(this.state, mind.key), mind.is === 'stuck', () => (mind.beside = true));
  }

  /** Refused and done as the oracle says; what is refused says why. */
  #command(changed: Changed, allowed: boolean, follows: () => unknown): void {
    if ('refused' in changed) {
      hold(!allowed, `refused against the rules: ${changed.refused}`);
      hold(changed.refused.endsWith('.') || changed.refused.includes('belay campaign retry'), `no sentence: ${changed.refused}`);
      return;
    }
    hold(allowed, `done against the rules: ${changed.said}`);
    this.state = changed.state;
    follows();
  }

  #compare(after: string): void {
    const { oracle, state } = this;
    const of = (key: string): string => KIND_OF[state.members[key]?.kind ?? ''] ?? 'in no state';
    for (const { key, is, out } of oracle.minds) {
      same(of(key), is, `${key} after ${after}`);
      const left = state.members[key];
      same(left !== undefined && leftOutOf(left) !== undefined, out, `${key} left out after ${after}`);
    }
    same(Object.keys(state.members).length, oracle.minds.length, 'clusters');
    same(state.phase, oracle.phase, `campaign after ${after}`);
    same(state.ring, oracle.ring, `ring that is worked on after ${after}`);
    if (oracle.phase !== 'complete')
      same(RING_OF[state.rings[state.ring]?.state ?? ''], oracle.ringIs, `ring ${state.ring} after ${after}`);
    same(
      state.pauses.map(({ by }) => by).toSorted(),
      [...(oracle.halted ? ['failures'] : []), ...(oracle.paused ? ['person'] : [])],
      `pauses after ${after}`,
    );
    state.rings.forEach((ring, index) => {
      if (index < state.ring) hold(ring.state.startsWith('complete'), `ring ${ring.name} is ${ring.state}, and a later one is worked on`);
      if (index > state.ring) hold(ring.state === 'pending', `ring ${ring.name} is ${ring.state} before its time`);
    });
  }
}

function lookAtArrived(what: number): Look {
  if (what < 2) return { kind: 'ended', runId: 'back', outcome: 'rolled-back', why: 'people went back' };
  if (what < 4) return { kind: 'gone', why: 'EKS does not know it' };
  return what < 50 ? { kind: 'unread', why: 'throttled' } : { kind: 'ended', runId: 'r', outcome: 'completed', why: '' };
}

function startResult(die: number, again: string, runId: string): StartResult {
  if (die < 55) return { kind: 'started', runId, ...(die % 5 === 0 ? { adopted: true as const } : {}) };
  if (die < 62) return { kind: 'arrived', by: 'others' };
  if (die < 64) return { kind: 'ahead' };
  if (die < 70) return { kind: 'held', why: 'another operation', again };
  if (die < 73) return { kind: 'held', why: 'it is stopped' };
  if (die < 88)
    return {
      kind: 'waiting',
      why: 'window',
      ...(die % 2 === 0 ? { until: again } : {}),
      ...(die % 3 === 0 ? { opened: true as const } : {}),
    };
  return die < 92 ? { kind: 'removed', why: 'EKS does not know it' } : { kind: 'unknown', why: 'AccessDenied', again };
}

export function hold(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function same(is: unknown, expected: unknown, what: string): void {
  if (is === expected) return;
  const [one, other] = [is, expected].map((each) => JSON.stringify(each));
  hold(one === other, `${what}: ${one}, and by the rules ${other}`);
}
