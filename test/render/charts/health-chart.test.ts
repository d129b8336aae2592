/** The picture of health checks: its size, and that each part of the data is seen in it. */
import { describe, expect, test } from 'vitest';
import { healthPng, healthSpec } from '../../../render/charts/health-chart.ts';
import type { HealthCurve } from '../../../domain/health/curves.ts';

const CURVE: HealthCurve = {
  check: 'api-server-latency',
  startedAt: '2026-03-03T12:00:00Z',
  points: [
    [0, 0.3],
    [30, null],
    [60, 0.4],
    [90, 6.1],
  ],
  limit: { operator: '>', value: 1 },
  baseline: 0.307,
};
/** Width and height are in the first chunk of a PNG. */
const sizeOf = (png: Buffer | undefined): number[] => [png?.readUInt32BE(16) ?? 0, png?.readUInt32BE(20) ?? 0];

describe('the picture', () => {
  test('is a PNG, twice as dense as it is wide; checks stand below each other', async () => {
    const one = await healthPng([CURVE]);
    expect(one?.subarray(1, 4).toString()).toBe('PNG');
    expect(sizeOf(one)).toEqual([1280, 640]);
    expect(sizeOf(await healthPng([CURVE, { ...CURVE, check: 'mesh-errors' }]))).toEqual([1280, 1280]);
  });

  test.each<[string, Partial<HealthCurve>]>([
    ['what was seen', { points: [...CURVE.points.slice(0, 3), [90, 5]] }],
    ['a gap', { points: CURVE.points.map(([at, seen]) => [at, seen ?? 0.35]) }],
    ['the limit', { limit: { operator: '>', value: 2 } }],
    ['that there is none', { limit: undefined }],
    ['what it was before', { baseline: 0.9 }],
    ['the name', { check: 'api-server-errors' }],
    ['the time of day', { startedAt: '2026-03-03T13:00:00Z' }],
  ])('shows %s', async (_, change) => {
    const [before, after] = await Promise.all([healthPng([CURVE]), healthPng([{ ...CURVE, ...change }])]);
    expect(before?.equals(after ?? Buffer.alloc(0))).toBe(false);
  });

  test('there is none where nothing was ever seen', async () => {
    const dark: HealthCurve = {
      ...CURVE,
      points: [
        [0, null],
        [30, null],
      ],
    };
    expect(await healthPng([dark])).toBeUndefined();
    expect(await healthPng([])).toBeUndefined();
    // Beside one that has seen something it is left out.
    expect(sizeOf(await healthPng([dark, CURVE]))).toEqual([1280, 640]);
  });
});

test('a name of odd letters is drawn as it is', async () => {
  expect(sizeOf(await healthPng([{ ...CURVE, check: '<b>"&\' ünïcode ]]> ${x}'.repeat(4) }]))).toEqual([1280, 640]);
});

test('bad looks are told apart, and the rules are named', () => {
  const { layer, title } = healthSpec(CURVE) as unknown as { layer: { data: { values: unknown[] } }[]; title: { subtitle: string[] } };
  expect(layer[1]?.data.values).toMatchObject([{ bad: false }, { bad: false }, { bad: true, at: '2026-03-03T12:01:30.000Z' }]);
  expect(title.subtitle).toEqual(['— fails when > 1', '- - before the upgrade 0.307']);
});
