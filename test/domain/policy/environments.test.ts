/** Has the environment before stood on the target for long enough? */
import { describe, expect, test } from 'vitest';
import { type EarlierCluster, orderOf, orderOfParts, type OrderVerdict } from '../../../domain/policy/environments.ts';

const NOW = '2026-01-15T12:00:00.000Z';
const baked = (change: Partial<EarlierCluster> = {}): EarlierCluster => ({
  cluster: 'stage-a',
  version: '1.33',
  upgrades: [{ to: '1.33', endedAt: '2026-01-10T10:00:00.000Z' }],
  ...change,
});

describe('production may follow', () => {
  test('where every cluster stands at the target or beyond, and has for so many days', () => {
    const beyond = baked({ cluster: 'stage-b', version: '1.34', upgrades: [{ to: '1.34', endedAt: '2026-01-11T10:00:00Z' }] });
    expect(orderOf('1.33', 3, [baked(), beyond], NOW)).toEqual({
      status: 'pass',
      lines: ['stage-a is at 1.33, upgraded 2026-01-10 (5 days ago)', 'stage-b is at 1.34, upgraded 2026-01-11 (4 days ago)'],
    });
  });

  test('a later hop does not start the days anew', () => {
    const later = [
      { to: '1.34', endedAt: '2026-01-15T10:00:00Z' },
      { to: '1.33', endedAt: '2026-01-01T10:00:00Z' },
      { to: '1.32', endedAt: '2025-06-01T10:00:00Z' },
    ];
    expect(orderOf('1.33', 10, [baked({ version: '1.34', upgrades: later })], NOW).status).toBe('pass');
    expect(orderOf('1.34', 10, [baked({ version: '1.34', upgrades: later })], NOW).status).toBe('fail');
  });
});

describe('days before a way back', () => {
  const first = { from: '1.32', to: '1.33', endedAt: '2026-01-01T10:00:00Z' };
  const again = { from: '1.32', to: '1.33', endedAt: '2026-01-14T10:00:00Z' };
  const back = { from: '1.33', to: '1.32', endedAt: '2026-01-02T10:00:00Z' };
  const nodesOnly = { from: '1.33', to: '1.33', endedAt: '2026-01-14T10:00:00Z' };
  test.each([
    ['by Belay', [again, back, first], 'fail'],
    ['by somebody else, which no record tells of', [again, first], 'fail'],
    ['by Belay, after which a run that failed has moved the control plane', [nodesOnly, back, first], 'fail'],
    ['that there was not: the same version once more', [nodesOnly, first], 'pass'],
  ] as const)('count for nothing: %s', (_, upgrades, status) => {
    expect(orderOf('1.33', 10, [baked({ upgrades: [...upgrades] })], NOW).status).toBe(status);
  });
});

describe('production may not follow', () => {
  test.each<[string, EarlierCluster[], 'fail' | 'unknown', string]>([
    ['a cluster that lags', [baked(), baked({ cluster: 'stage-b', version: '1.32' })], 'fail', 'stage-b is at 1.32, not at 1.33'],
    [
      'a young upgrade',
      [baked({ upgrades: [{ to: '1.33', endedAt: '2026-01-13T10:00:00Z' }] })],
      'fail',
      'stage-a is at 1.33, upgraded 2026-01-13 (2 days ago), not baked for 3 days yet',
    ],
    [
      'a cluster that cannot be read',
      [baked({ version: undefined, unseen: 'access denied' })],
      'unknown',
      'stage-a cannot be read: access denied',
    ],
    [
      'records that cannot be read',
      [baked({ upgrades: undefined, unrecorded: 'no such directory' })],
      'unknown',
      'the records of stage-a cannot be read: no such directory',
    ],
    [
      'an upgrade that nobody recorded',
      [baked({ upgrades: [] })],
      'unknown',
      'stage-a is at 1.33, and no record says since when: it was not upgraded from here',
    ],
  ])('%s', (_, clusters, status, line) => {
    const verdict = orderOf('1.33', 3, clusters, NOW);
    expect(verdict.status).toBe(status);
    expect(verdict.lines).toContain(line);
  });

  test('what lags is known, whatever else cannot be seen', () => {
    expect(orderOf('1.33', 3, [baked({ version: undefined, unseen: 'x' }), baked({ version: '1.32' })], NOW).status).toBe('fail');
  });

  test('no cluster at all is no proof', () => {
    expect(orderOf('1.33', 3, [], NOW).status).toBe('unknown');
  });

  const part = (status: OrderVerdict['status']): OrderVerdict => ({ status, lines: [`it is a ${status}`] });
  test.each([
    [[part('pass'), part('pass')], 'pass'],
    [[part('pass'), part('unknown')], 'unknown'],
    [[part('unknown'), part('fail'), part('pass')], 'fail'],
    [[], 'unknown'],
  ] as const)('in several networks: %j', (parts, status) => {
    expect(orderOfParts(parts)).toEqual({ status, lines: parts.flatMap(({ lines }) => lines) });
  });
});
