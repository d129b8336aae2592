/** Which pace may replace nodes faster than the one that holds: that needs an approver in more cases than not. */
import { expect, test } from '@jest/globals';
import { mayBeFaster, paceText } from '../../../domain/policy/pace.ts';

test.each([
  ['1', 'original', false],
  ['20%', 'original', false],
  ['automatic', 'original', true],
  ['original', 'original', false],
  ['original', '10%', true],
  ['1', 'freeze', true],
  ['freeze', '1', false],
  ['2', '1', true],
  ['1', '2', false],
  ['10%', '20%', false],
  ['20%', '10%', true],
  ['1', '10%', true],
  ['automatic', '1', true],
])('%s instead of %s: %s', (pace, present, isFaster) => {
  expect(mayBeFaster(pace, present)).toBe(isFaster);
});

test.each([
  ['freeze', 'no node'],
  ['original', 'as many nodes at a time as the original budgets allow'],
  ['10%', 'at most 10% of the nodes of each pool at a time'],
  ['3', 'at most 3 at a time in each pool'],
])('Karpenter replaces, at %s: %s', (pace, text) => {
  expect(paceText(pace)).toBe(text);
});
