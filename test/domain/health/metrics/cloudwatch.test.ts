/** Which datapoints of CloudWatch are asked for, and which one counts. */
import { describe, expect, test } from 'vitest';
import { blindHint, newestComplete, windowOf } from '../../../../domain/health/metrics/cloudwatch.ts';

const at = (text: string): number => Date.parse(`2025-04-29T${text}Z`);
const iso = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

test.each([
  [60_000, '09:10:30', '09:05:00', '09:10:00'],
  [60_000, '09:10:00', '09:05:00', '09:10:00'],
  [300_000, '09:12:00', '08:55:00', '09:10:00'],
])('periods of %s ms at %s: %s to %s', (periodMs, now, start, end) => {
  const { startMs, endMs } = windowOf({ periodMs }, at(now));
  expect([iso(startMs), iso(endMs)]).toEqual([start, end]);
});

describe('the datapoint that counts', () => {
  const points = ['09:08:00', '09:10:00', '09:09:00'].map((text, value) => ({ atMs: at(text), value }));
  test.each([
    ['one whose period is not over does not', '09:10:59', 2],
    ['from its end on it does', '09:11:00', 1],
    ['none is over', '09:08:59', undefined],
  ])('%s', (_title, now, value) => {
    expect(newestComplete(points, 60_000, at(now))?.value).toBe(value);
  });
});

test('a metric of EKS without its cluster is a known mistake', () => {
  const metrics = { m: { namespace: 'AWS/EKS', metric: 'apiserver_request_total', stat: 'Sum' } };
  expect(blindHint({ periodMs: 60_000, metrics })).toBe('AWS/EKS apiserver_request_total has the dimension ClusterName: add it.');
  expect(blindHint({ periodMs: 60_000, metrics: { m: { ...metrics.m, dimensions: { ClusterName: 'a' } } } })).toContain('FILL(m, 0)');
});
