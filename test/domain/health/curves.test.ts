/** What is kept of a check for its picture: few points, and never fewer bad ones than there were. */
import { describe, expect, test } from 'vitest';
import { USUAL_CHECK } from '../../../domain/policy/config/health/health-defaults.ts';
import type { FailCondition, Look, WatchedCheck } from '../../../domain/health/checks.ts';
import { addPoint, type CurvePoint, curveOf, MAX_POINTS } from '../../../domain/health/curves.ts';

const HIGH: FailCondition = { kind: 'value', operator: '>', value: 1 };
const watched = (failWhen: FailCondition, baseline?: number): WatchedCheck => ({
  check: { ...USUAL_CHECK, name: 'latency', query: 'up', failWhen, guards: [] },
  ...(baseline === undefined ? {} : { baseline }),
});
const drawn = (check: WatchedCheck, looks: readonly Look[]): CurvePoint[] =>
  looks.reduce<CurvePoint[]>((points, look, index) => addPoint(points, check, look, index * 30_000), []);
const value = (seen: number): Look => ({ kind: 'value', value: seen });

describe('points', () => {
  test.each<[string, Look, number | null]>([
    ['a value, with as many digits as are seen', value(0.123456), 0.1235],
    ['no series is a gap', { kind: 'empty' }, null],
    ['a question that failed is a gap', { kind: 'error', why: 'connection refused' }, null],
    ['what is no number is a gap', value(Number.POSITIVE_INFINITY), null],
  ])('%s', (_, look, seen) => {
    expect(drawn(watched(HIGH), [look, look])).toEqual([
      [0, seen],
      [30, seen],
    ]);
  });

  test.each([
    ['above', HIGH, 9],
    ['below', { kind: 'value', operator: '<', value: 1 } as const, -9],
  ])('a day of them stays small, and one that was bad is still there: %s', (_, failWhen, bad) => {
    const looks = Array.from({ length: 2880 }, (__, index) =>
      index === 700 ? value(bad) : index % 7 === 0 ? ({ kind: 'empty' } as const) : value(0),
    );
    const points = drawn(watched(failWhen), looks);
    expect(points.length).toBeLessThanOrEqual(MAX_POINTS);
    expect(points.filter(([, seen]) => seen === bad)).toHaveLength(1);
    expect(points.map(([at]) => at)).toEqual(points.map(([at]) => at).toSorted((a, b) => a - b));
    expect(JSON.stringify(points).length).toBeLessThan(1000);
  });
});

test('a curve has its limit, which a baseline may decide', () => {
  expect(curveOf(watched({ kind: 'baseline', factor: 3, atLeast: 0.1 }, 0.2), [[0, 1]], '2026-01-01T00:00:00Z')).toEqual({
    check: 'latency',
    startedAt: '2026-01-01T00:00:00Z',
    points: [[0, 1]],
    limit: { operator: '>', value: expect.closeTo(0.6) },
    baseline: 0.2,
  });
  expect(curveOf(watched({ kind: 'baseline', factor: 3 }), [], '2026-01-01T00:00:00Z')).not.toHaveProperty('limit');
});
