/** Which pace may replace nodes faster than the one that holds: that needs an approver in more cases than not. */
import { expect, test } from 'vitest';
import { budgetOf, mayBeFaster, parsePace, paceText } from '../../../domain/policy/pace.ts';

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
  ['3', 'at most 3 nodes at a time in each pool'],
])('Karpenter replaces, at %s: %s', (pace, text) => {
  expect(paceText(pace)).toBe(text);
});

test.each([
  ['freeze', 'freeze', '0'],
  [' Original ', 'original', '100%'],
  ['AUTOMATIC', 'automatic', 'automatic'],
  ['10%', '10%', '10%'],
  ['3', '3', '3'],
  // Karpenter takes both for none.
  ['0', 'freeze', '0'],
  ['00%', 'freeze', '0'],
])('"%s" is read as %s, which is the budget %s', (text, pace, nodes) => {
  expect(parsePace(text)).toBe(pace);
  expect(budgetOf(pace)).toBe(nodes);
});

test.each(['', 'fast', '-1', '101%', '1.5', '123456', 'frozen'])('"%s" is no pace', (text) => {
  expect(parsePace(text)).toBeUndefined();
});
