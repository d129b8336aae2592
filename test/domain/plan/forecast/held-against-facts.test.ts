/** The rule by which `npm run test:real -- forecast` holds forecasts against rolls: chance passes, a mistake does not. */
import { expect, test } from 'vitest';
import { isWithin, isWithinOnAverage } from '../../../real/forecast/compare.ts';

const roll = (p50: number, p90: number, fact: number): Parameters<typeof isWithin>[0] => ({ forecast: { p50, p90 }, fact });

test.each([
  ['a fifth of the fact', roll(120, 121, 100), true],
  ['more than a fifth, where the plays are all alike', roll(121, 122, 100), false],
  ['less than the fact, where the plays are all alike', roll(79, 80, 100), false],
  ['as far as chance takes the plays', roll(234, 264, 170), true],
  ['farther than chance takes them', roll(234, 264, 160), false],
  ['longer than chance takes them', roll(200, 220, 260), false],
  ['no roll at all', roll(Number.NaN, Number.NaN, 100), false],
  ['a roll that never ended', roll(100, 110, Number.NaN), false],
])('one roll: %s', (_title, one, expected) => {
  expect(isWithin(one)).toBe(expected);
});

test.each([
  ['once too long and once too short', [roll(125, 150, 100), roll(80, 100, 100)], true],
  ['always a little too long', [roll(112, 130, 100), roll(114, 130, 100)], true],
  ['always a fifth too long', [roll(120, 140, 100), roll(119, 140, 100), roll(118, 140, 100)], false],
  ['always a fifth too short', [roll(82, 95, 100), roll(81, 95, 100), roll(83, 95, 100)], false],
  ['none', [], false],
])('on average: %s', (_title, rolls, expected) => {
  expect(isWithinOnAverage(rolls)).toBe(expected);
});
