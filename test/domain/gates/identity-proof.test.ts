/** A start that was signed at another time starts nothing: what somebody recorded is worth nothing later. */
import { expect, test } from 'vitest';
import { isTimely } from '../../../domain/gates/identity-proof.ts';

const STARTED = Date.parse('2026-03-03T12:00:00Z');

test.each<[string, string | undefined, boolean]>([
  ['at that moment', '2026-03-03T12:00:00Z', true],
  ['five minutes before', '2026-03-03T11:55:00Z', true],
  ['a little longer before', '2026-03-03T11:54:59Z', false],
  ['later than five minutes after, by a clock that is wrong', '2026-03-03T12:05:01Z', false],
  ['at no time', undefined, false],
  ['at what is no time', 'noon', false],
])('signed %s: %s, timely: %s', (_what, at, timely) => {
  expect(isTimely(at, STARTED)).toBe(timely);
});
