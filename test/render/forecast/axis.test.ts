/** The time axis of a forecast's pictures. */
import { expect, test } from 'vitest';
import { axisUntil } from '../../../render/forecast/axis.ts';

const MINUTE = 60_000;

/** Labels, with a star for those that only a wide screen has room for; it hides none of the others, a narrow one every second. */
const labels = (untilMs: number): string[] =>
  [...axisUntil(untilMs).ticks.matchAll(/<span (class="wide" )?style="left:[\d.]+%">([^<]+)</g)].map(
    ([, wide, label]) => `${label}${wide === undefined ? '' : '*'}`,
  );

test.each([
  ['minutes', 12 * MINUTE, ['0', '5 min', '10 min*']],
  ['two hours, nearly', 113 * MINUTE, ['0', '15 min', '30 min', '45 min', '1 h', '1 h 15 min', '1 h 30 min*', '1 h 45 min*']],
  ['a label at the very end has no room anywhere', 60 * MINUTE, ['0', '10 min', '20 min', '30 min', '40 min', '50 min*']],
  ['days', 67 * 60 * MINUTE, ['0', '12 h', '24 h', '36 h', '2 d', '2 d 12 h*']],
])('%s', (_what, untilMs, expected) => {
  expect(labels(untilMs)).toEqual(expected);
});
