/** Rings of a campaign as the page shows them. */
import { describe, expect, test } from '@jest/globals';
import { basisText, finishAlarms, progressOf, statesOf } from '../../../../domain/run/fleet-view/board.ts';
import { BOARD, FORECAST } from './campaign.ts';

const prod = BOARD.rings[2]?.members ?? [];

test('states in the order in which people want to see them', () => {
  expect(statesOf(prod).map(({ state, count }) => `${count} ${state}`)).toEqual([
    '1 failed',
    '1 rolled-back',
    '1 stuck',
    '1 needs-people',
    '1 unknown',
    '1 held',
    '1 waiting',
    '1 running',
    '15 planned',
    '1 done',
    '1 ahead',
    '1 excluded',
    '1 removed',
  ]);
});

test('progress counts neither excluded nor removed clusters; ahead is done, unknown and held are not', () => {
  expect(progressOf(prod)).toEqual({ doneCount: 2, allCount: 25 });
  expect(progressOf([])).toEqual({ doneCount: 0, allCount: 0 });
});

describe('finishBy', () => {
  test('F44: once it has passed, it says how many are not done, and that nothing is skipped', () => {
    expect(finishAlarms({ ...BOARD, at: '2026-12-01T00:00:00Z' })).toEqual([
      'It should have finished by 2026-11-30: 23 of 35 clusters are not done. Nothing is skipped for it.',
    ]);
  });

  test('the whole day counts, and a campaign that is done has no alarm', () => {
    expect(finishAlarms({ ...BOARD, at: '2026-11-30T23:59:00Z' })).toEqual([]);
    const rings = BOARD.rings.slice(0, 2);
    expect(finishAlarms({ ...BOARD, rings, at: '2026-12-24T00:00:00Z' }, FORECAST)).toEqual([]);
  });

  test('F44 F45: a forecast that ends later says so beforehand, with what it rests on', () => {
    const rings = FORECAST.rings.slice(0, 3);
    expect(finishAlarms(BOARD, { rings })).toEqual([
      'The forecast ends on 2026-12-04 (assumed 3 h each), after it should finish (2026-11-30). Nothing is skipped for it.',
    ]);
    expect(finishAlarms(BOARD, { rings: rings.slice(0, 2) })).toEqual([]);
  });
});

test('F45: what a date rests on is said in words', () => {
  expect(FORECAST.rings.map(basisText)).toEqual(['from 12 recorded runs', 'assumed 3 h each', 'assumed 3 h each', 'from 1 recorded run']);
});
