/** What two scrapes of a process say: rates, increases and quantiles as Prometheus has them. */
import { describe, expect, test } from 'vitest';
import {
  figureOf,
  histogramQuantile,
  lackOf,
  type MetricQuery,
  Reading,
  selectorsOf,
  type Span,
} from '../../../../domain/health/metrics/scrapes.ts';

const INF = Number.POSITIVE_INFINITY;
const SHARE: MetricQuery = {
  target: 'api-server',
  kind: 'share',
  bad: { metric: 'requests_total', matchers: [{ label: 'code', matches: '5..' }] },
  all: { metric: 'requests_total' },
  intervals: 10,
};
const INCREASE: MetricQuery = {
  target: 'karpenter',
  kind: 'increase',
  of: { metric: 'errors_total', matchers: [{ label: 'error', matches: 'NotFound', not: true }] },
  witness: { metric: 'build_info' },
  intervals: 10,
};
const QUANTILE: MetricQuery = {
  target: 'api-server',
  kind: 'quantile',
  quantile: 0.5,
  of: { metric: 'seconds_bucket', matchers: [{ label: 'verb', matches: 'POST|PUT' }] },
  witness: { metric: 'requests_total' },
  intervals: 10,
};

function read(query: MetricQuery, text: string): Reading {
  const reading = new Reading(selectorsOf(query));
  for (const line of text.split('\n')) reading.add(line);
  return reading;
}

const span = (query: MetricQuery, earlier: string, later: string, seconds = 10): Span => ({
  earlier: read(query, earlier).tallies,
  later: read(query, later).tallies,
  seconds,
});
const requests = (good: number, bad?: number): string =>
  `requests_total{code="200"} ${good}\n${bad === undefined ? '' : `requests_total{code="503"} ${bad}\n`}`;

describe('a share', () => {
  test.each<[string, Span[], number | undefined]>([
    ['without an error it is 0', [span(SHARE, requests(100), requests(200))], 0],
    ['a series that is new counts from 0', [span(SHARE, requests(100), requests(190, 10))], 0.1],
    ['of two processes by their rates', [span(SHARE, requests(0), requests(90, 10)), span(SHARE, requests(0, 0), requests(300), 30)], 0.05],
    ['a counter that fell was reset', [span(SHARE, requests(1000, 500), requests(60, 20))], 0.25],
    ['without a request it is nothing', [span(SHARE, requests(100, 5), requests(100, 5))], undefined],
  ])('%s', (_name, spans, figure) => expect(figureOf(SHARE, spans)).toEqual(figure));
});

describe('an increase', () => {
  const errors = (other: number, found: number): string =>
    `build_info 1\nerrors_total{error="Throttled"} ${other}\nerrors_total{error="NotFound"} ${found}\nerrors_total{error="NotFoundToo"} 1`;

  test('counts what its matchers select by their whole value, over all processes', () => {
    const spans = [span(INCREASE, errors(3, 10), errors(5, 90)), span(INCREASE, 'build_info 1', errors(4, 90))];
    expect(figureOf(INCREASE, spans)).toBe(2 + 5);
  });

  test('is 0 where nothing was ever counted, if the process is the one that counts', () => {
    const calm = read(INCREASE, 'build_info{version="1.6"} 1').tallies;
    expect([lackOf(INCREASE, calm), figureOf(INCREASE, [{ earlier: calm, later: calm, seconds: 1 }])]).toEqual([undefined, 0]);
    expect(lackOf(INCREASE, read(INCREASE, 'other_info 1').tallies)).toBe('no build_info');
  });
});

describe('a quantile', () => {
  const buckets = (counts: number[], verb = 'POST'): string =>
    ['0.1', '0.5', '1', '+Inf'].map((le, at) => `seconds_bucket{verb="${verb}",le="${le}"} ${counts[at]}`).join('\n');

  test('is of what was observed between two scrapes, over verbs and processes', () => {
    const earlier = `${buckets([1000, 1000, 1000, 1000])}\n${buckets([0, 0, 0, 0], 'PUT')}`;
    const later = `${buckets([1005, 1005, 1005, 1005])}\n${buckets([0, 10, 15, 15], 'PUT')}\n${buckets([9, 9, 9, 9], 'GET')}`;
    // 20 observations: 5, 10 and 5; the tenth is half-way from 0.1 to 0.5.
    expect(figureOf(QUANTILE, [span(QUANTILE, earlier, later)])).toBeCloseTo(0.3);
  });

  test('is nothing without an observation, unless that is well', () => {
    const calm = [span(QUANTILE, buckets([5, 5, 5, 5]), buckets([5, 5, 5, 5]))];
    expect(figureOf(QUANTILE, calm)).toBeUndefined();
    expect(figureOf({ ...QUANTILE, idle: 0 }, calm)).toBe(0);
  });

  // As promql/quantile.go, BucketQuantile.
  test.each<[string, number, [number, number][], number]>([
    [
      'linear within a bucket',
      0.9,
      [
        [1, 50],
        [2, 100],
        [INF, 100],
      ],
      1.8,
    ],
    [
      'from 0 in the lowest',
      0.25,
      [
        [1, 50],
        [2, 100],
        [INF, 100],
      ],
      0.5,
    ],
    [
      'no further than the second highest bound',
      0.99,
      [
        [1, 50],
        [2, 60],
        [INF, 100],
      ],
      2,
    ],
    [
      'the bound itself where the lowest is not above 0',
      0.1,
      [
        [-1, 50],
        [2, 100],
        [INF, 100],
      ],
      -1,
    ],
    [
      'whatever order the bounds come in',
      0.9,
      [
        [INF, 100],
        [2, 100],
        [1, 50],
      ],
      1.8,
    ],
    [
      'counts that fall are evened out',
      0.5,
      [
        [1, 50],
        [2, 40],
        [INF, 100],
      ],
      1,
    ],
    [
      'nothing without +Inf',
      0.9,
      [
        [1, 50],
        [2, 100],
      ],
      Number.NaN,
    ],
    ['nothing of +Inf alone', 0.9, [[INF, 100]], Number.NaN],
    [
      'nothing without an observation',
      0.9,
      [
        [1, 0],
        [INF, 0],
      ],
      Number.NaN,
    ],
    ['nothing of nothing', 0.9, [], Number.NaN],
  ])('%s', (_name, quantile, counts, value) => expect(Number(histogramQuantile(quantile, new Map(counts)).toFixed(9))).toBe(value));
});

describe('a scrape', () => {
  test('says when its process began, and is read no further than it is asked for', () => {
    const reading = read(SHARE, 'process_start_time_seconds 1.7e9\nsomething{else 1\nrequests_total NaN\nrequests_total 2');
    expect([reading.startedAt, [...reading.tallies.values()].map(({ total }) => total)]).toEqual([1.7e9, [2]]);
  });

  test('is nothing where a line that matters cannot be read', () => {
    expect(() => read(SHARE, 'requests_total{code="200} 1')).toThrow("is no line of Prometheus' text format");
  });
});
