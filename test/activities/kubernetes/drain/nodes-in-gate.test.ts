/** Nodes that people are asked about: which change of them is news. */
import { expect, test } from 'vitest';
import { AskedNodes } from '../../../../activities/kubernetes/drain/nodes-in-gate.ts';

const LIMIT_MS = 600_000;
const OLD = new Set(['a', 'b', 'c', 'd']);

test('RA3: another held node is news at once', () => {
  expect(new AskedNodes(['a'], LIMIT_MS).compare(['a', 'b'], OLD, 0)).toBe('changed');
  expect(new AskedNodes([], LIMIT_MS).compare(['a'], OLD, 0)).toBe('changed');
  expect(new AskedNodes([], LIMIT_MS).compare([], OLD, 0)).toBe('none');
});

test('RA3: a hold that is missing at one look is not gone; after a minute, or once its node is replaced, it is', () => {
  const asked = new AskedNodes(['a'], LIMIT_MS);
  expect(asked.compare(['a'], OLD, 30_000)).toBe('none');
  expect(asked.compare([], OLD, 60_000)).toBe('none');
  expect(asked.compare([], OLD, 90_001)).toBe('freed');
  expect(new AskedNodes(['a'], LIMIT_MS).compare([], new Set(['b']), 0)).toBe('freed');
});

test('RA3: nodes that are freed one by one are a new list when half of them are', () => {
  const asked = new AskedNodes(['a', 'b', 'c', 'd'], LIMIT_MS);
  expect(asked.compare(['a', 'b', 'c', 'd'], OLD, 0)).toBe('none');
  expect(asked.compare(['a', 'b', 'c'], new Set(['a', 'b', 'c']), 0)).toBe('none');
  expect(asked.compare(['a', 'b'], new Set(['a', 'b']), 0)).toBe('changed');
});
