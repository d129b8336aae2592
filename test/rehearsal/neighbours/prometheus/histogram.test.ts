import { expect, test } from 'vitest';
import { quantileOf } from '../../../../rehearsal/neighbours/prometheus/histogram.ts';

const BUCKETS = [
  { le: 100, count: 50 },
  { le: 50, count: 10 },
  { le: Number.POSITIVE_INFINITY, count: 60 },
];

test.each([
  ['within a bucket, in a straight line', 0.5, BUCKETS, 75],
  ['from zero in the lowest', 0.1, BUCKETS, 30],
  ['the highest bound for what lies beyond it', 0.99, BUCKETS, 100],
  ['none without an infinite bucket', 0.5, BUCKETS.slice(0, 2), Number.NaN],
  ['none without observations', 0.5, BUCKETS.map(({ le }) => ({ le, count: 0 })), Number.NaN],
  ['none without buckets', 0.5, [], Number.NaN],
])('%s', (_title, share, buckets, value) => expect(quantileOf(share, buckets)).toBe(value));
