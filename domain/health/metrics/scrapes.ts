/** Figures from scrapes of /metrics where no Prometheus is: what is kept of a scrape, and what two of the same process say. Pure. */
import { type ExposedSample, parseSample, sampleName } from './exposition.ts';

/** Whose metrics: the API server's own, or those of pods, through the API server. */
export type ScrapeTarget = 'api-server' | 'coredns' | 'karpenter' | 'istiod';

/** A label whose whole value matches an expression, as =~ of PromQL; `not`: does not, as !~. An absent label is "". */
export interface LabelMatcher {
  label: string;
  matches: string;
  not?: true;
}

export interface Selector {
  metric: string;
  matchers?: LabelMatcher[];
}

/**
 * `intervals`: over how many of the check's intervals it is reckoned. `witness`: what is always there, since counters of what has not yet happened
 * are often left out; without it the check sees nothing. `idle`: what it is where nothing was observed at all.
 */
export type ScrapeQuery = { target: ScrapeTarget } & (
  | { kind: 'share'; bad: Selector; all: Selector; intervals: number }
  | { kind: 'increase'; of: Selector; witness: Selector; intervals: number }
  | { kind: 'quantile'; quantile: number; of: Selector; witness: Selector; idle?: number; intervals: number }
  | { kind: 'level'; of: Selector; witness: Selector }
  /** Parts of /readyz that fail. */
  | { kind: 'readiness' }
);

/** What is read from metrics: all but /readyz. */
export type MetricQuery = Exclude<ScrapeQuery, { kind: 'readiness' }>;

/** All samples of a selector in one scrape. */
export interface Tally {
  samples: number;
  total: number;
  /** Of buckets: cumulative counts by upper bound. */
  bounds: Map<number, number>;
}

/** What is kept of one scrape, by the text of its selector. */
export type Tallies = ReadonlyMap<string, Tally>;

/** Two scrapes of one process. */
export interface Span {
  earlier: Tallies;
  later: Tallies;
  seconds: number;
}

const START = 'process_start_time_seconds';

/** As PromQL has it. */
export function selectorText({ metric, matchers = [] }: Selector): string {
  const pairs = matchers.map(({ label, matches, not }) => `${label}${not === true ? '!~' : '=~'}"${matches}"`);
  return `${metric}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`}`;
}

export function selectorsOf(query: ScrapeQuery): Selector[] {
  switch (query.kind) {
    case 'share':
      return [query.bad, query.all];
    case 'increase':
    case 'quantile':
    case 'level':
      return [query.of, query.witness];
    case 'readiness':
      return [];
  }
}

/** Reads a scrape line by line and keeps what its selectors select. */
export class Reading {
  readonly #wanted = new Map<string, { key: string; selects: (sample: ExposedSample) => boolean }[]>();
  readonly #tallies = new Map<string, Tally>();
  #startedAt: number | undefined;

  constructor(selectors: readonly Selector[]) {
    for (const selector of selectors) {
      const of = this.#wanted.get(selector.metric) ?? [];
      this.#wanted.set(selector.metric, [...of, { key: selectorText(selector), selects: selects(selector) }]);
    }
  }

  /** When the process began, in seconds; undefined: it does not say. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  get tallies(): Tallies {
    return this.#tallies;
  }

  /** Throws SyntaxError for a line of a wanted metric that cannot be read. */
  add(line: string): void {
    const name = sampleName(line);
    const wanted = name === undefined ? undefined : this.#wanted.get(name);
    if (wanted === undefined && name !== START) return;
    const sample = parseSample(line);
    if (sample === undefined || Number.isNaN(sample.value)) return;
    if (sample.name === START) this.#startedAt = sample.value;
    for (const { key, selects: does } of wanted ?? []) if (does(sample)) this.#count(key, sample);
  }

  #count(key: string, { labels, value }: ExposedSample): void {
    const tally = this.#tallies.get(key) ?? { samples: 0, total: 0, bounds: new Map<number, number>() };
    tally.samples += 1;
    tally.total += value;
    const bound = labels['le'] === undefined ? Number.NaN : Number(labels['le'].replace(/^\+Inf$/, 'Infinity'));
    if (!Number.isNaN(bound)) tally.bounds.set(bound, (tally.bounds.get(bound) ?? 0) + value);
    this.#tallies.set(key, tally);
  }
}

function selects({ matchers = [] }: Selector): (sample: ExposedSample) => boolean {
  const tests = matchers.map(({ label, matches, not }) => ({ label, expression: new RegExp(`^(?:${matches})$`), wanted: not !== true }));
  return ({ labels }) => tests.every(({ label, expression, wanted }) => expression.test(labels[label] ?? '') === wanted);
}

/** What one scrape has of what a query is about; text: what it lacks, as the end of a sentence. */
export function lackOf(query: MetricQuery, tallies: Tallies): string | undefined {
  const needed = selectorText(query.kind === 'share' ? query.all : query.witness);
  return tallies.has(needed) ? undefined : `no ${needed}`;
}

/**
 * The figure of a query over processes, each seen twice. undefined: nothing was observed (0/0). Counters grow from 0 within a process, so a series that
 * the earlier scrape has not counts whole; one that has fallen was reset, as Prometheus takes it. An increase is what was counted, not extrapolated.
 */
export function figureOf(query: MetricQuery, spans: readonly Span[]): number | undefined {
  const grown = (selector: Selector): number => sumOf(spans.map(({ earlier, later }) => growth(earlier, later, selector)));
  const rate = (selector: Selector): number =>
    sumOf(spans.map(({ earlier, later, seconds }) => growth(earlier, later, selector) / seconds));
  switch (query.kind) {
    case 'share':
      return finite(rate(query.bad) / rate(query.all));
    case 'increase':
      return grown(query.of);
    case 'quantile':
      return finite(histogramQuantile(query.quantile, bucketRates(query.of, spans))) ?? query.idle;
    case 'level':
      return sumOf(spans.map(({ later }) => later.get(selectorText(query.of))?.total ?? 0));
  }
}

function growth(earlier: Tallies, later: Tallies, selector: Selector): number {
  const key = selectorText(selector);
  return since(earlier.get(key)?.total, later.get(key)?.total ?? 0);
}

const since = (was = 0, is: number): number => (is < was ? is : is - was);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const finite = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

function bucketRates(selector: Selector, spans: readonly Span[]): Map<number, number> {
  const key = selectorText(selector);
  const rates = new Map<number, number>();
  for (const { earlier, later, seconds } of spans)
    for (const [bound, count] of later.get(key)?.bounds ?? [])
      rates.set(bound, (rates.get(bound) ?? 0) + since(earlier.get(key)?.bounds.get(bound), count) / seconds);
  return rates;
}

/**
 * As Prometheus' histogram_quantile of classic buckets (prometheus.io, "Query functions"): linear within a bucket, from 0 in the lowest; the second
 * highest bound for what lies in the last. NaN without a bucket of +Inf, without another one, and without an observation.
 */
export function histogramQuantile(quantile: number, counts: ReadonlyMap<number, number>): number {
  const buckets: { bound: number; count: number }[] = [];
  // Counts that fall from one bound to the next come of processes with different bounds.
  for (const [bound, count] of [...counts].toSorted(([a], [b]) => a - b))
    buckets.push({ bound, count: Math.max(count, buckets.at(-1)?.count ?? 0) });
  const last = buckets.at(-1);
  if (last?.bound !== Number.POSITIVE_INFINITY || buckets.length < 2 || last.count === 0) return Number.NaN;
  const rank = quantile * last.count;
  const at = buckets.findIndex(({ count }) => count >= rank);
  const bucket = buckets[at] ?? last;
  if (bucket.bound === Number.POSITIVE_INFINITY) return buckets.at(-2)?.bound ?? Number.NaN;
  if (at <= 0 && bucket.bound <= 0) return bucket.bound;
  const below = buckets[at - 1] ?? { bound: 0, count: 0 };
  return below.bound + ((bucket.bound - below.bound) * (rank - below.count)) / (bucket.count - below.count);
}
