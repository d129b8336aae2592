/** Names, times and people as they might come, and checks made of them. */
import fc from 'fast-check';
import type { BlockReason, NodesReplaced } from '../../domain/plan/forecast/types.ts';
import type { CheckView, ForecastView } from '../../domain/run/notifications.ts';
import type { ReadinessVerdict } from '../../domain/readiness/report.ts';
import { CLUSTER } from './fixtures.ts';

/** What a cluster may call its things. */
export const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '<!channel>',
    '<!here|x>',
    '<!everyone>',
    '@channel',
    '<@U0SAM>',
    '&lt;!channel&gt;',
    '\u0000',
    '\ud800',
    '',
    '🔥'.repeat(900),
    '<'.repeat(4_000),
    '`*_~\n> x',
    '**b** <!channel>',
  ),
  fc.string({ unit: 'grapheme', minLength: 100, maxLength: 5_000 }),
);
export const iso = fc.oneof(fc.constantFrom('2026-03-03T12:00:00Z', 'never', ''), hostile);
export const actor = fc.record({
  kind: fc.constantFrom('slack' as const, 'cli' as const),
  id: hostile,
  name: fc.option(hostile, { nil: undefined }),
});

const named = fc.record({ code: hostile, title: hostile });
const change = fc.record({
  since: iso,
  fixed: fc.array(named, { maxLength: 60 }),
  added: fc.array(named, { maxLength: 60 }),
  changed: fc.array(
    fc.record({
      code: hostile,
      title: hostile,
      before: fc.nat(),
      now: fc.nat(),
      gone: fc.array(hostile, { maxLength: 6 }),
      come: fc.array(hostile, { maxLength: 6 }),
    }),
    { maxLength: 60 },
  ),
  unchangedCount: fc.nat(),
});
const finding = fc.record({
  code: hostile,
  title: hostile,
  severity: fc.constantFrom('required' as const, 'recommended' as const),
  status: fc.constantFrom('fail' as const, 'unknown' as const),
  message: hostile,
  remediation: fc.option(hostile, { nil: undefined }),
  named: fc.array(hostile, { maxLength: 6 }),
  resourceCount: fc.nat(),
});
const done = fc
  .record({
    name: hostile,
    verdict: fc.constantFrom<ReadinessVerdict>('ready', 'required-findings', 'unknowns-only'),
    open: fc.array(finding, { maxLength: 5 }),
    change: fc.option(change, { nil: undefined }),
    notAttached: fc.option(hostile, { nil: undefined }),
  })
  .map(({ name, verdict, open, ...rest }): CheckView['progress'] => {
    const counts = { required: 9, recommended: 9, unknown: 9, waived: 9, passed: 9 };
    const summary = { cluster: { ...CLUSTER, name }, from: name, target: name, checkedAt: name, verdict, counts, open };
    return { kind: 'done', summary, ...rest };
  });

const spread = fc.record({ p50: fc.nat(), p90: fc.nat() });
const some = <T>(each: fc.Arbitrary<T>) => fc.record({ count: fc.nat(), first: fc.array(each, { maxLength: 8 }) });
const team = fc.option(hostile, { nil: undefined });

/** As large as a summary may be. */
const forecastMade = fc
  .record({
    name: hostile,
    total: spread,
    runs: fc.nat(),
    blockers: some(
      fc.record({
        pod: hostile,
        node: hostile,
        workload: fc.option(hostile, { nil: undefined }),
        team,
        reason: fc.constantFrom<BlockReason>('budget', 'several-budgets', 'do-not-disrupt', 'no-room'),
        budgets: fc.array(hostile, { maxLength: 8 }),
      }),
    ),
    downtimes: some(fc.record({ workload: hostile, team, down: spread })),
    gates: some(fc.record({ title: hostile, share: fc.double({ min: 0, max: 1, noNaN: true }) })),
    nodes: some(fc.record({ owner: fc.constantFrom<NodesReplaced['owner']>('karpenter', 'fargate'), name: hostile, count: spread })),
    short: fc.array(fc.record({ zone: hostile, needed: fc.nat(), free: fc.nat() }), { maxLength: 8 }),
    limits: some(hostile),
    notKept: fc.option(hostile, { nil: undefined }),
    notAttached: fc.option(hostile, { nil: undefined }),
  })
  .map(({ name, blockers, nodes, short, notKept, notAttached, ...rest }): ForecastView['progress'] => ({
    kind: 'made',
    notKept,
    notAttached,
    summary: {
      ...rest,
      cluster: { ...CLUSTER, name },
      from: name,
      to: name,
      strategy: 'every-hop',
      planHash: name,
      snapshotTakenAt: name,
      madeAt: name,
      blockers: { ...blockers, nodeCount: blockers.count },
      nodes: { ...nodes, replaced: rest.total },
      peak: {
        extraNodes: rest.total,
        extraVcpus: rest.total,
        extraAddresses: rest.total,
        volumesMoved: rest.total,
        shortOfAddresses: short,
      },
      calibration: { snapshot: 5, learnt: 1, configured: 2, reports: 3 },
    },
  }));
const violation = fc.record({ rule: hostile, message: hostile, remedy: hostile });

export const aForecast: fc.Arbitrary<ForecastView> = fc.record({
  cluster: hostile.map((name) => ({ ...CLUSTER, name })),
  target: hostile,
  requestedBy: actor,
  startedAt: iso,
  progress: fc.oneof(
    fc.constant({ kind: 'running' as const }),
    hostile.map((why) => ({ kind: 'failed' as const, why })),
    fc.array(violation, { maxLength: 60 }).map((violations) => ({ kind: 'refused' as const, violations })),
    forecastMade,
  ),
});

export const aCheck: fc.Arbitrary<CheckView> = fc.record({
  cluster: hostile.map((name) => ({ ...CLUSTER, name })),
  target: hostile,
  requestedBy: actor,
  startedAt: iso,
  progress: fc.oneof(
    fc.constant({ kind: 'running' as const }),
    hostile.map((why) => ({ kind: 'failed' as const, why })),
    done,
  ),
});
