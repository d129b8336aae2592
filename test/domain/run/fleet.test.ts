import { describe, expect, test } from 'vitest';
import { oldestFirst, supportAt, supportOf, targetsFrom } from '../../../domain/run/fleet.ts';

const offered = [
  { version: '1.34', status: 'STANDARD_SUPPORT' as const, endOfStandardSupport: '2026-12-02T00:00:00.000Z' },
  { version: '1.33', status: 'STANDARD_SUPPORT' as const },
  { version: '1.32', status: 'EXTENDED_SUPPORT' as const },
];

describe('targets', () => {
  test('every minor that EKS offers above the own one, the next first', () => {
    expect(targetsFrom('1.32', offered).map(({ minor }) => minor)).toEqual(['1.33', '1.34']);
    expect(targetsFrom('1.34', offered)).toEqual([]);
  });

  test('a minor that is not offered ends the way: minors cannot be skipped', () => {
    expect(targetsFrom('1.30', offered)).toEqual([]);
    const gap = offered.map((entry) => (entry.version === '1.33' ? { ...entry, status: 'UNSUPPORTED' as const } : entry));
    expect(targetsFrom('1.32', gap)).toEqual([]);
  });

  test('where EKS does not say, the table counts; what is no version has none', () => {
    expect(targetsFrom('1.34', []).map(({ minor }) => minor)).toEqual(['1.35', '1.36', '1.37']);
    expect(targetsFrom('soon', [])).toEqual([]);
  });
});

describe('support', () => {
  test.each<[string, string, ReturnType<typeof supportAt>]>([
    ['1.32', '2026-03-22T12:00:00Z', { support: 'standard', daysLeft: 1 }],
    ['1.32', '2026-03-23T00:00:00Z', { support: 'extended', daysLeft: 365 }],
    ['1.32', '2027-03-23T00:00:00Z', { support: 'ended' }],
    ['1.38', '2026-03-23T00:00:00Z', { support: 'unknown' }],
    ['1.99', '2026-03-23T00:00:00Z', { support: 'unknown' }],
  ])('of %s at %s', (minor, at, expected) => {
    expect(supportAt(supportOf(minor, []), at)).toEqual(expected);
  });

  test('past the standard support, with nobody to say how long the extended one lasts, it is not known', () => {
    expect(supportAt({ minor: '1.99', endOfStandardSupport: '2026-03-22' }, '2026-03-23T00:00:00Z')).toEqual({ support: 'unknown' });
    expect(supportAt({ minor: '1.99', endOfStandardSupport: '2026-03-24' }, '2026-03-23T00:00:00Z')).toEqual({
      support: 'standard',
      daysLeft: 1,
    });
  });

  test('EKS goes before the table', () => {
    const said = [{ version: '1.32', endOfStandardSupport: '2030-01-01T00:00:00Z' }];
    expect(supportOf('1.32', said)).toEqual({ minor: '1.32', endOfStandardSupport: '2030-01-01', endOfExtendedSupport: '2027-03-23' });
  });
});

test('the oldest first by value, not by letters; unknown ones last', () => {
  const clusters = [
    { name: 'x', why: 'no' },
    { name: 'b', version: '1.9' },
    { name: 'c', version: '1.30' },
    { name: 'a', version: '1.30' },
  ];
  expect(oldestFirst(clusters).map(({ name }) => name)).toEqual(['b', 'a', 'c', 'x']);
});
