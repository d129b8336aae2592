/** Keeps the looks of one watch and judges them. A restarted worker begins anew: its looks are minutes, not history. */
import { type CheckVerdict, judgeCheck, type Look, type WatchedCheck } from '../../domain/health-checks.ts';
import { count } from '../../domain/words.ts';
import type { HealthTrouble } from './contract.ts';

export class HealthWatch {
  readonly #checks: readonly WatchedCheck[];
  readonly #weatherMs: number;
  readonly #looks = new Map<string, Look[]>();
  readonly #nextMs = new Map<string, number>();
  /** When an API server that is being replaced was first away, in time of the watch. */
  readonly #awaySinceMs = new Map<string, number>();

  /** `weatherMs`: how long the API server may be away. */
  constructor(checks: readonly WatchedCheck[], weatherMs: number) {
    this.#checks = checks;
    this.#weatherMs = weatherMs;
  }

  /** Those whose time has come. */
  due(elapsedMs: number): WatchedCheck[] {
    return this.#checks.filter(({ check }) => (this.#nextMs.get(check.name) ?? 0) <= elapsedMs);
  }

  add(name: string, look: Look, elapsedMs: number): void {
    const watched = this.#checks.find(({ check }) => check.name === name);
    if (watched === undefined) return;
    // A little early counts as in time, so that a look is not put off by a whole interval.
    this.#nextMs.set(name, elapsedMs + watched.check.intervalMs * 0.9);
    if (this.#isWeather(watched, look, elapsedMs)) return;
    // As many as any judgement looks at.
    const kept = Math.max(watched.check.count, watched.check.errorLimit + 1);
    this.#looks.set(name, [...(this.#looks.get(name) ?? []), look].slice(-kept));
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

  note(): string {
    return `${count(this.#checks.length, 'check')} well`;
  }

  #verdict(watched: WatchedCheck): CheckVerdict {
    return judgeCheck(watched, this.#looks.get(watched.check.name) ?? []);
  }

  /**
   * An API server that is being replaced answers nothing, or 5xx, and is not scraped. Slow answers are answers: they count.
   */
  #isWeather({ check, baseline }: WatchedCheck, look: Look, elapsedMs: number): boolean {
    if (check.apiServer === undefined || this.#weatherMs === 0) return false;
    const away =
      look.kind !== 'value' ||
      (check.apiServer === 'errors' && judgeCheck({ check: { ...check, failureLimit: 0 }, baseline }, [look]).kind === 'fail');
    if (!away) {
      this.#awaySinceMs.delete(check.name);
      return false;
    }
    const since = this.#awaySinceMs.get(check.name) ?? elapsedMs;
    this.#awaySinceMs.set(check.name, since);
    return elapsedMs - since < this.#weatherMs;
  }
}

const rank = ({ kind }: CheckVerdict): number => (kind === 'fail' ? 0 : 1);
