/** Keeps the looks of one watch and judges them. A restarted worker goes on with what the one before has seen. */
import { type CheckVerdict, judgeCheck, type Look, type WatchedCheck } from '../../../domain/health/checks.ts';
import { addPoint, type CurvePoint, curveOf, type HealthCurve } from '../../../domain/health/curves.ts';
import { count } from '../../../domain/core/text.ts';
import type { HealthTrouble } from '../../contract/health.ts';
import { defined } from '../../../domain/core/defined.ts';

/** More pictures than that nobody looks at. */
const MAX_CURVES = 4;
/** Of what Prometheus says to a question that fails: it is kept in heartbeats. */
const WHY_LENGTH = 200;

/** What is known of one check; times are those of the watch. */
interface Seen {
  looks: Look[];
  points: CurvePoint[];
  nextMs: number;
  /** When an API server that is being replaced was first away. */
  awaySinceMs?: number;
}

/** Goes into heartbeats: what the next attempt goes on from. */
export type WatchMemory = Record<string, Seen>;

export class HealthWatch {
  readonly #checks: readonly WatchedCheck[];
  readonly #transientMs: number;
  readonly #seen = new Map<string, Seen>();

  /** `transientMs`: how long the API server may be away. `memory`: of the attempt before; of checks that are not there, it is forgotten. */
  constructor(checks: readonly WatchedCheck[], transientMs: number, memory: WatchMemory = {}) {
    this.#checks = checks;
    this.#transientMs = transientMs;
    for (const { check } of checks) {
      const kept = memory[check.name];
      if (kept !== undefined) this.#seen.set(check.name, kept);
    }
  }

  get memory(): WatchMemory {
    return Object.fromEntries(this.#seen);
  }

  /** Those whose time has come. */
  due(elapsedMs: number): WatchedCheck[] {
    return this.#checks.filter(({ check }) => (this.#seen.get(check.name)?.nextMs ?? 0) <= elapsedMs);
  }

  /** `watched`: one of those that it was made with. */
  add(watched: WatchedCheck, look: Look, elapsedMs: number): void {
    const { name } = watched.check;
    const { looks, points, awaySinceMs } = this.#seen.get(name) ?? { looks: [], points: [] };
    const since = this.#isAway(watched, look) ? (awaySinceMs ?? elapsedMs) : undefined;
    const isTransient = since !== undefined && elapsedMs - since < this.#transientMs;
    // As many as any judgement looks at.
    const kept = Math.max(watched.check.count, watched.check.errorLimit + 1);
    this.#seen.set(name, {
      looks: isTransient ? looks : [...looks, short(look)].slice(-kept),
      points: addPoint(points, watched, look, elapsedMs),
      // A little early counts as in time, so that a look is not put off by a whole interval.
      nextMs: elapsedMs + watched.check.intervalMs * 0.9,
      ...defined({ awaySinceMs: since }),
    });
  }

  /** undefined: all is well, as far as is known. Failures come before what cannot be seen, and that before mere warnings. */
  trouble(): HealthTrouble | undefined {
    const verdicts = this.#checks.map((watched) => ({ ...watched, verdict: this.#verdict(watched) }));
    const bad = verdicts.filter(({ verdict }) => verdict.kind !== 'pass');
    const stopping = bad.filter(({ check }) => check.severity === 'block');
    const [first] = stopping.length > 0 ? stopping.toSorted((a, b) => rank(a.verdict) - rank(b.verdict)) : bad;
    if (first === undefined) return undefined;
    const kind = stopping.length === 0 ? 'warn' : first.verdict.kind === 'fail' ? 'fail' : 'inconclusive';
    const meant = stopping.length === 0 ? bad : stopping;
    return { kind, checks: meant.map(({ check }) => check.name), lines: meant.map(({ verdict }) => verdict.line) };
  }

  /** For pictures of those checks: the failing ones come first. `startedAt`: when the watch began, ISO 8601. */
  curves(names: readonly string[], startedAt: string): HealthCurve[] {
    return this.#checks
      .filter(({ check }) => names.includes(check.name))
      .toSorted((a, b) => rank(this.#verdict(a)) - rank(this.#verdict(b)))
      .slice(0, MAX_CURVES)
      .map((watched) => curveOf(watched, this.#seen.get(watched.check.name)?.points ?? [], startedAt));
  }

  note(): string {
    return `${count(this.#checks.length, 'check')} well`;
  }

  #verdict(watched: WatchedCheck): CheckVerdict {
    return judgeCheck(watched, this.#seen.get(watched.check.name)?.looks ?? []);
  }

  /**
   * An API server that is being replaced answers nothing, or 5xx, and is not scraped. Slow answers are answers: they count.
   */
  #isAway({ check, baseline }: WatchedCheck, look: Look): boolean {
    if (check.apiServer === undefined || this.#transientMs === 0) return false;
    if (look.kind !== 'value') return true;
    return check.apiServer === 'errors' && judgeCheck({ check: { ...check, failureLimit: 0 }, baseline }, [look]).kind === 'fail';
  }
}

const short = (look: Look): Look => (look.kind === 'error' ? { ...look, why: look.why.slice(0, WHY_LENGTH) } : look);
const rank = ({ kind }: CheckVerdict): number => (kind === 'fail' ? 0 : 1);
