/** Health checks judged: what fails, what cannot be seen, and what is blind. */
import { describe, expect, test } from 'vitest';
import { alertLine, judgeFiring } from '../../../domain/health/alerts.ts';
import { DEFAULT_CHECKS, USUAL_CHECK } from '../../../domain/policy/config/health/health-defaults.ts';
import { type HealthCheck, judgeCheck, type Look, lookOf, triedLines, triedOf, watchedIn } from '../../../domain/health/checks.ts';
import { lintQuery } from '../../../domain/health/promql-lint.ts';

const check = (more: Partial<HealthCheck> = {}): HealthCheck => ({
  ...USUAL_CHECK,
  name: 'errors',
  query: 'up',
  failWhen: { kind: 'value', operator: '>', value: 0.01 },
  guards: ['control-plane'],
  ...more,
});
const looks = (...values: (number | 'empty' | 'error')[]): Look[] =>
  values.map((value) =>
    value === 'empty' ? { kind: 'empty' } : value === 'error' ? { kind: 'error', why: 'refused' } : { kind: 'value', value },
  );
const tenTimes = (what: 'empty' | 'error'): Look[] => looks(...Array.from({ length: 10 }, () => what));

describe('a verdict', () => {
  test.each<[string, Partial<HealthCheck>, number | undefined, Look[], string, string]>([
    ['nothing seen yet: no trouble', {}, undefined, [], 'pass', 'errors: not seen just now'],
    ['as many bad looks as allowed', {}, 0, looks(0, 0.5, 0.5, 0), 'pass', 'errors: 0, before the upgrade 0'],
    [
      'one more',
      {},
      0.002,
      looks(0.5, 0, 0.5, 0.5),
      'fail',
      'errors: 0.5, limit > 0.01, before the upgrade 0.002 (3 of the last 4 readings)',
    ],
    ['bad looks of long ago', {}, undefined, looks(1, 1, 1, 0, 0, 0, 0), 'pass', 'errors: 0'],
    [
      'an infinite one',
      {},
      undefined,
      looks(Infinity, Infinity, Infinity),
      'fail',
      'errors: Infinity, limit > 0.01 (3 of the last 3 readings)',
    ],
    [
      'no series for minutes',
      {},
      undefined,
      [...looks(0), ...tenTimes('empty')],
      'inconclusive',
      'errors: no series (10 readings in a row)',
    ],
    ['not to be asked for minutes', {}, undefined, tenTimes('error'), 'inconclusive', 'errors: refused (10 readings in a row)'],
    ['seen again in between', {}, undefined, [...tenTimes('error').slice(1), ...looks(0)], 'pass', 'errors: 0'],
    [
      'no series as a failure',
      { onEmpty: 'fail' },
      undefined,
      looks('empty', 'empty', 'empty'),
      'fail',
      'errors: no series, limit > 0.01 (3 of the last 3 readings)',
    ],
    [
      'below',
      { failWhen: { kind: 'value', operator: '<', value: 3 }, failureLimit: 0 },
      undefined,
      looks(2),
      'fail',
      'errors: 2, limit < 3 (1 of the last 1 reading)',
    ],
    [
      'above the baseline, but not above the floor',
      { failWhen: { kind: 'baseline', factor: 2, atLeast: 10 }, failureLimit: 0 },
      1,
      looks(9),
      'pass',
      'errors: 9, before the upgrade 1',
    ],
    [
      'above both',
      { failWhen: { kind: 'baseline', factor: 2, atLeast: 10 }, failureLimit: 0 },
      6,
      looks(13),
      'fail',
      'errors: 13, limit > 12, before the upgrade 6 (1 of the last 1 reading)',
    ],
    [
      'nothing to compare with',
      { failWhen: { kind: 'baseline', factor: 2 } },
      undefined,
      looks(1),
      'inconclusive',
      'errors: what it was before the upgrade is not known',
    ],
  ])('%s', (_title, more, baseline, seen, kind, line) => {
    expect(judgeCheck({ check: check(more), ...(baseline === undefined ? {} : { baseline }) }, seen)).toEqual({ kind, line });
  });

  test('of several series the worst counts, which is the least where a check fails below', () => {
    const samples = [
      { labels: { zone: 'a' }, value: 1 },
      { labels: { zone: 'b' }, value: 3 },
    ];
    expect(lookOf(check(), samples)).toEqual({ kind: 'value', value: 3, of: 'zone="b"' });
    expect(lookOf(check({ failWhen: { kind: 'value', operator: '<', value: 2 } }), samples)).toEqual({
      kind: 'value',
      value: 1,
      of: 'zone="a"',
    });
    expect(lookOf(check(), [])).toEqual({ kind: 'empty' });
  });
});

describe('before the upgrade', () => {
  const SEEDS = [
    'sum(increase(karpenter_node_claims_terminated_total{reason="launch_failed"}[10m]))',
    'sum(rate(pilot_xds_push_errors[5m]))',
  ];

  test.each(SEEDS)('%s: blind, with what would be right', (query) => {
    const tried = triedOf(check({ query }), { kind: 'empty' });
    expect(tried).toMatchObject({ kind: 'blind', hint: expect.stringContaining('Use ') });
    expect(triedLines([tried])[0]).toMatch(/^BLIND errors: its query has no series/);
  });

  test('what is blind watches nothing; what could not be asked is watched all the same', () => {
    const checks = [check({ name: 'a' }), check({ name: 'b' }), check({ name: 'c' }), check({ name: 'd', guards: ['bake'] })];
    const tried = [
      { name: 'a', kind: 'live', baseline: 7 } as const,
      { name: 'b', kind: 'blind' } as const,
      { name: 'c', kind: 'unseen', why: 'refused' } as const,
      { name: 'd', kind: 'live', baseline: 1 } as const,
    ];
    expect(watchedIn('control-plane', checks, tried).map(({ check: { name }, baseline }) => [name, baseline])).toEqual([
      ['a', 7],
      ['c', undefined],
    ]);
  });

  test('nothing is known against the usual queries', () => {
    expect(DEFAULT_CHECKS.flatMap(({ query }) => lintQuery(query))).toEqual([]);
  });
});

describe('alerts', () => {
  const alert = (alertname: string, labels: Record<string, string> = {}) => ({ labels: { alertname, ...labels } });

  test('ignored ones and those of no severity are quiet', () => {
    const series = [alert('Watchdog', { severity: 'none' }), alert('Known', { severity: 'critical' }), alert('Hint', { severity: 'info' })];
    expect(judgeFiring(series, ['Known'])).toEqual({ kind: 'quiet' });
  });

  test('others by name, the critical ones first', () => {
    const verdict = judgeFiring([alert('B'), alert('C', { severity: 'critical', namespace: 'shop', pod: 'cart-0' }), alert('B')], []);
    expect(verdict.kind === 'firing' && verdict.alerts.map(alertLine)).toEqual(['C (critical, shop/cart-0)', 'B, 2 times']);
  });
});
