/** Health checks: queries with a limit that steps are watched by. Pure; asking for figures is activities/health. */
import { blindHint, type CloudWatchQuery } from './metrics/cloudwatch.ts';
import { lintQuery } from './promql-lint.ts';
import type { PhaseId } from '../core/phases.ts';
import type { ScrapeQuery } from './metrics/scrapes.ts';
import { count, someOf } from '../core/text.ts';

export const OPERATORS = ['>', '>=', '<', '<='] as const;
type Operator = (typeof OPERATORS)[number];

export interface Limit {
  operator: Operator;
  value: number;
}

/** When a look at it is a bad one. baseline: above `factor` times what was seen before the upgrade, and above `atLeast`. */
export type FailCondition = { kind: 'value'; operator: Operator; value: number } | { kind: 'baseline'; factor: number; atLeast?: number };

export const ON_EMPTY = ['inconclusive', 'fail'] as const;
export const SEVERITIES = ['block', 'warn'] as const;

export interface HealthCheck {
  name: string;
  /** PromQL; of several series the worst counts. Absent: it is asked of CloudWatch, or of what is scraped. */
  query?: string;
  cloudWatch?: CloudWatchQuery;
  /** Where no Prometheus is. */
  scrape?: ScrapeQuery;
  failWhen: FailCondition;
  intervalMs: number;
  /** So many last looks are judged together. */
  count: number;
  /** It fails when more of them are bad. */
  failureLimit: number;
  /** It is inconclusive when more looks in a row have seen nothing. */
  errorLimit: number;
  /** What a look without a series counts as: never as good. */
  onEmpty: (typeof ON_EMPTY)[number];
  /** warn: it is said, and holds up nothing. */
  severity: (typeof SEVERITIES)[number];
  /** Phases that it watches. */
  guards: PhaseId[];
  /** Only where the cluster has it. */
  where?: 'karpenter' | 'istio';
  /** Of the API server, which is away for a while during its own update. errors: and answers 5xx then; latency: slow answers are answers. */
  apiServer?: 'errors' | 'latency';
}

/** What belay.yaml says about health. */
export interface HealthPolicy {
  checks: HealthCheck[];
  /** Do firing alerts stop steps that cannot be undone? */
  alerts: 'block' | 'ignore';
  /** Names of alerts that stop nothing. */
  ignoreAlerts: string[];
}

/** A check as it was tried before the upgrade. blind: its query has no series, or `why`; unseen: it could not be asked. */
export type TriedCheck =
  | { name: string; kind: 'live'; baseline: number }
  | { name: string; kind: 'blind'; hint?: string; why?: string }
  | { name: string; kind: 'unseen'; why: string };

/** One look. `of`: the series that was the worst, where there are several. */
export type Look = { kind: 'value'; value: number; of?: string } | { kind: 'empty' } | { kind: 'error'; why: string };

type Sample = { labels: Record<string, string>; value: number };

/** A check that is watched, with what it saw before the upgrade. */
export interface WatchedCheck {
  check: HealthCheck;
  baseline?: number;
}

export type CheckVerdict = { kind: 'pass' | 'fail' | 'inconclusive'; line: string };

/** The worst of an answer's series is the look. */
export function lookOf({ failWhen }: Pick<HealthCheck, 'failWhen'>, samples: readonly Sample[]): Look {
  const low = failWhen.kind === 'value' && failWhen.operator.startsWith('<');
  const [worst] = samples.toSorted((a, b) => (low ? a.value - b.value : b.value - a.value));
  if (worst === undefined) return { kind: 'empty' };
  const of = Object.entries(worst.labels).map(([name, value]) => `${name}="${value}"`);
  return { kind: 'value', value: worst.value, ...(samples.length > 1 && of.length > 0 ? { of: someOf(of, 3) } : {}) };
}

/** What the try of a query before the upgrade says; a known mistake in it comes with what would be right. */
export function triedOf(check: HealthCheck, look: Look): TriedCheck {
  const { name } = check;
  if (look.kind === 'value') return { name, kind: 'live', baseline: look.value };
  if (look.kind === 'error') return { name, kind: 'unseen', why: look.why };
  const hints = hintsOf(check);
  return { name, kind: 'blind', ...(hints.length === 0 ? {} : { hint: hints.join(' ') }) };
}

function hintsOf({ query, cloudWatch }: HealthCheck): string[] {
  if (cloudWatch !== undefined) return [blindHint(cloudWatch)];
  return lintQuery(query ?? '').map(({ message, remediation }) => `${message} ${remediation ?? ''}`.trim());
}

/** Judges the last looks at a check, the newest last. */
export function judgeCheck({ check, baseline }: WatchedCheck, looks: readonly Look[]): CheckVerdict {
  const limit = limitOf(check.failWhen, baseline);
  if (limit === undefined) return { kind: 'inconclusive', line: `${check.name}: what it was before the upgrade is not known` };
  const isBad = (look: Look): boolean =>
    look.kind === 'value' ? exceeds(look.value, limit) : look.kind === 'empty' && check.onEmpty === 'fail';
  const last = looks.slice(-check.count);
  const bad = last.filter(isBad);
  const worst = bad.at(-1);
  const was = baseline === undefined ? '' : `, before the upgrade ${amount(baseline)}`;
  if (worst !== undefined && bad.length > check.failureLimit) {
    const seen = worst.kind === 'value' ? `${amount(worst.value)}${worst.of === undefined ? '' : ` (${worst.of})`}` : 'no series';
    const often = `${bad.length} of the last ${count(last.length, 'reading')}`;
    return { kind: 'fail', line: `${check.name}: ${seen}, limit ${limit.operator} ${amount(limit.value)}${was} (${often})` };
  }
  const unseen = looks.slice(looks.findLastIndex(({ kind }) => kind === 'value') + 1);
  if (unseen.length > check.errorLimit) {
    const why = unseen.at(-1);
    return {
      kind: 'inconclusive',
      line: `${check.name}: ${why?.kind === 'error' ? why.why : 'no series'} (${count(unseen.length, 'reading')} in a row)`,
    };
  }
  const now = looks.at(-1);
  return { kind: 'pass', line: `${check.name}: ${now?.kind === 'value' ? amount(now.value) : 'not seen just now'}${was}` };
}

/** What a look is compared with. undefined: there is nothing to compare with. */
export function limitOf(condition: FailCondition, baseline: number | undefined): Limit | undefined {
  if (condition.kind === 'value') return condition;
  const limits = [...(baseline === undefined ? [] : [condition.factor * baseline]), condition.atLeast].filter((each) => each !== undefined);
  return limits.length === 0 ? undefined : { operator: '>', value: Math.max(...limits) };
}

/** Is a value a bad one? */
export function exceeds(value: number, limit: Limit): boolean {
  switch (limit.operator) {
    case '>':
      return value > limit.value;
    case '>=':
      return value >= limit.value;
    case '<':
      return value < limit.value;
    case '<=':
      return value <= limit.value;
  }
}

/** Three digits are as many as anybody reads. */
export const amount = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : String(value));

/** The tries in words for a gate: what is not seen comes first. */
export function triedLines(tried: readonly TriedCheck[]): string[] {
  const blind = tried.flatMap((each) =>
    each.kind === 'blind'
      ? [
          `BLIND ${each.name}: ${each.why ?? 'its query has no series'}, so nothing is watched by it.${each.hint === undefined ? '' : ` ${each.hint}`}`,
        ]
      : [],
  );
  const unseen = tried.flatMap((each) => (each.kind === 'unseen' ? [`UNKNOWN ${each.name}: ${each.why}`] : []));
  const live = tried.flatMap((each) => (each.kind === 'live' ? [`${each.name} ${amount(each.baseline)}`] : []));
  return [...blind, ...unseen, ...(live.length === 0 ? [] : [`${count(live.length, 'check')} before the upgrade: ${live.join(', ')}`])];
}

/** The checks that a step is watched by: not those that cannot see, which people were told before it began. */
export function watchedIn(phase: PhaseId, checks: readonly HealthCheck[], tried: readonly TriedCheck[]): WatchedCheck[] {
  return checks.flatMap((check) => {
    const before = tried.find(({ name }) => name === check.name);
    if (before === undefined || before.kind === 'blind' || !check.guards.includes(phase)) return [];
    return [{ check, ...(before.kind === 'live' ? { baseline: before.baseline } : {}) }];
  });
}
