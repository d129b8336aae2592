/** Series about freezes, rollback windows, support and Slack: what they show, what never becomes a label, and what is not known is not shown. */
import { beforeEach, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import type { Guards } from '../../../../client/reading/guards.ts';
import type { UpgradeReport } from '../../../../domain/run/record/status.ts';
import { type GuardSeries, guardSeries } from '../../../../worker/telemetry/metrics/guard-series.ts';
import { type SupportSeries, supportSeries } from '../../../../worker/telemetry/metrics/support-series.ts';

const NOW_MS = Date.parse('2026-11-02T10:00:00Z');
const PROD = { account: '111122223333', region: 'eu-west-1', name: 'prod' };
const FORGED = { ...PROD, name: 'let me in"} 1\nbelay_runs 99' };
const of = { environmentOf: ({ name }: { name: string }): string | undefined => (name.startsWith('prod') ? 'production' : undefined) };

let registry: Registry;
let nowMs: number;
let series: GuardSeries;
let support: SupportSeries;

beforeEach(() => {
  registry = new Registry();
  nowMs = NOW_MS;
  series = guardSeries(registry, { ...of, nowMs: () => nowMs });
  support = supportSeries(registry, of);
});

const shown = async (): Promise<string[]> => (await registry.metrics()).split('\n').filter((line) => line.startsWith('belay_'));
const guards = (change: Partial<Guards> = {}): Guards => ({ freezes: [], windows: [], undelivered: { count: 0 }, ...change });
const SINCE = '2026-11-02T08:00:00.000Z';
const seconds = (iso: string): number => Date.parse(iso) / 1000;

test('nothing is shown as none before Temporal has answered', async () => {
  expect(await shown()).toEqual([]);
  series.saw(guards());
  expect(await shown()).toEqual(['belay_slack_undelivered 0', 'belay_slack_oldest_undelivered_seconds 0']);
});

test('a freeze, a rollback window and what waits for Slack', async () => {
  series.saw(
    guards({
      freezes: [{ cluster: PROD, since: SINCE, lookedAt: '2026-11-02T09:59:00.000Z' }],
      windows: [{ cluster: PROD, at: '1.34', closesAt: '2026-11-09T09:00:00.000Z' }],
      undelivered: { count: 3, since: '2026-11-02T09:50:00.000Z' },
    }),
  );
  expect(await shown()).toEqual([
    'belay_freeze_held_seconds{cluster="prod"} 7200',
    `belay_guard_last_look_timestamp_seconds{cluster="prod"} ${seconds('2026-11-02T09:59:00Z')}`,
    `belay_rollback_closes_timestamp_seconds{cluster="prod"} ${seconds('2026-11-09T09:00:00Z')}`,
    'belay_slack_undelivered 3',
    'belay_slack_oldest_undelivered_seconds 600',
  ]);
});

test.each([
  ['has not looked yet: as if it had when it began', [undefined], SINCE],
  ['looks again and again', ['2026-11-02T09:00:00.000Z', '2026-11-02T09:10:00.000Z'], '2026-11-02T09:10:00Z'],
  ['has been called back: its last look stays', ['2026-11-02T09:00:00.000Z', undefined], '2026-11-02T09:00:00Z'],
  ['says next year: it has looked now at most', ['2027-11-02T09:00:00.000Z'], '2026-11-02T10:00:00Z'],
])('a guard that %s', async (_title, looks, last) => {
  for (const lookedAt of looks)
    series.saw(guards({ freezes: [{ cluster: PROD, since: SINCE, ...(lookedAt === undefined ? {} : { lookedAt }) }] }));
  expect(await shown()).toContain(`belay_guard_last_look_timestamp_seconds{cluster="prod"} ${seconds(last)}`);
});

test('a freeze that has been lifted is gone, and the next guard begins anew', async () => {
  series.saw(guards({ freezes: [{ cluster: PROD, since: SINCE, lookedAt: '2026-11-02T09:59:00.000Z' }] }));
  series.saw(guards());
  expect((await shown()).filter((line) => line.includes('prod'))).toEqual([]);
  series.saw(guards({ freezes: [{ cluster: PROD, since: '2026-11-02T09:00:00.000Z' }] }));
  expect(await shown()).toContain(`belay_guard_last_look_timestamp_seconds{cluster="prod"} ${seconds('2026-11-02T09:00:00Z')}`);
});

test('what Temporal has not said for two minutes is not shown as true', async () => {
  series.saw(guards({ freezes: [{ cluster: PROD, since: SINCE }], undelivered: { count: 1, since: SINCE } }));
  nowMs += 60_000;
  series.missed();
  expect(await shown()).toHaveLength(4);
  nowMs += 61_000;
  series.missed();
  expect(await shown()).toEqual([]);
});

const record = (change: Partial<UpgradeReport['status']>): UpgradeReport =>
  ({
    outcome: 'completed',
    decisions: [],
    leftBehind: [],
    status: { cluster: PROD, from: '1.33', to: '1.34', steps: [], ...change },
  }) as unknown as UpgradeReport;
const moved = (state: string, id = 'control-plane@1.34') =>
  [{ id, state, startedAt: SINCE }] as unknown as UpgradeReport['status']['steps'];
const ends = (version: string, kind: string, day: string): string =>
  `belay_support_ends_timestamp_seconds{cluster="prod",version="${version}",kind="${kind}"} ${seconds(day)}`;

test.each([
  ['a run that has moved the control plane', [record({ steps: moved('completed') })], '1.34'],
  ['one that was stopped before', [record({})], '1.33'],
  ['one that failed while it moved: nobody knows', [record({ steps: moved('failed') })], undefined],
  ['one that skipped a step that had begun', [record({ steps: moved('skipped') })], undefined],
  ['a way back', [record({ from: '1.34', to: '1.33', steps: moved('completed', 'control-plane-back@1.33') })], '1.33'],
  ['one that was refused before it was planned', [record({ from: undefined })], undefined],
  ['the newest of two', [record({ endedAt: '2026-10-02', steps: moved('completed') }), record({ endedAt: '2026-09-02' })], '1.34'],
  ['a version that is on no calendar', [record({ from: 'let me in' })], undefined],
])('the version of a cluster by %s', async (_title, reports, version) => {
  support.recorded(reports);
  const days: Record<string, [string, string]> = { '1.33': ['2026-07-29', '2027-07-29'], '1.34': ['2026-12-02', '2027-12-02'] };
  const [standard, extended] = days[version ?? ''] ?? [];
  expect(await shown()).toEqual(
    version === undefined || standard === undefined || extended === undefined
      ? []
      : [ends(version, 'standard', standard), ends(version, 'extended', extended)],
  );
});

test('an open rollback window says the version while its run has no record yet; afterwards the record does', async () => {
  support.recorded([record({ endedAt: '2026-09-02' })]);
  support.saw([{ cluster: PROD, at: '1.34', closesAt: '2026-11-09T09:00:00.000Z' }]);
  expect(await shown()).toEqual([ends('1.34', 'standard', '2026-12-02'), ends('1.34', 'extended', '2027-12-02')]);
  support.saw([]);
  expect(await shown()).toEqual([ends('1.33', 'standard', '2026-07-29'), ends('1.33', 'extended', '2027-07-29')]);
});

test('O22: what anybody may have written to Temporal, or into a record, becomes no label', async () => {
  series.saw(guards({ freezes: [{ cluster: FORGED, since: SINCE }], windows: [{ cluster: FORGED, at: '1.34', closesAt: SINCE }] }));
  support.saw([{ cluster: PROD, at: 'let me in', closesAt: SINCE }]);
  support.recorded([record({ cluster: FORGED })]);
  expect((await registry.metrics()).includes('let me in')).toBe(false);
});
