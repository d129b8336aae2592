/** Quantities as Kubernetes writes them. */
import { expect, test } from 'vitest';
import { parseQuantity } from '../../../domain/facts/quantity.ts';

test.each([
  ['4', 4],
  ['0.5', 0.5],
  ['.5', 0.5],
  ['5.', 5],
  ['-1', -1],
  ['500m', 0.5],
  ['20u', 20e-6],
  ['20n', 20e-9],
  ['2k', 2_000],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1P', 1e15],
  ['1Pi', 2 ** 50],
  ['1E', 1e18],
  ['1Ei', 2 ** 60],
  ['2e3', 2_000],
  ['1E3', 1_000],
  ['12e-1', 1.2],
  [7, 7],
])('%s is %d', (text, value) => {
  expect(parseQuantity(text)).toBeCloseTo(value, 12);
});

test.each(['', 'many', '1.2.3', '1e', '2e3Gi', '10%', '1 Gi', '1KiB', 'Gi', undefined])('%s is none', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});
