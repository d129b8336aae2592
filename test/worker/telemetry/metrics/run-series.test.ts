/** Series about open runs: what they count, what never becomes a label, and what is not known is not shown. */
import { beforeEach, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import type { OpenRun } from '../../../../client/reading/census.ts';
import { type RunSeries, runSeries } from '../../../../worker/telemetry/metrics/run-series.ts';

const NOW_MS = Date.parse('2026-11-02T10:00:00Z');
const CLUSTER = { account: '111122223333', region: 'eu-west-1', name: 'prod' };

let registry: Registry;
let nowMs: number;
let series: RunSeries;

beforeEach(() => {
  registry = new Registry();
  nowMs = NOW_MS;
  const environmentOf = ({ name }: { name: string }): string | undefined => (name.startsWith('prod') ? 'production' : undefined);
  series = runSeries(registry, { environmentOf, nowMs: () => nowMs });
});

const run = (change: Partial<OpenRun> = {}): OpenRun => ({
  cluster: CLUSTER,
  runId: 'run-1',
  target: '1.34',
  phase: 'control-plane',
  gates: [],
  ...change,
});

const lines = async (name: string): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test('open runs by environment, phase and what they wait for; each with its cluster', async () => {
  const before = { kind: 'before', openedAt: '2026-11-02T09:00:00Z' } as const;
  series.saw([
    run(),
    run({ runId: 'run-2', cluster: { ...CLUSTER, name: 'prod-2' }, gates: [before, { kind: 'wave', openedAt: '2026-11-02T08:00:00Z' }] }),
    run({ runId: 'run-3', cluster: { ...CLUSTER, name: 'prod-3' }, gates: [{ ...before, openedAt: '2026-11-02T09:50:00Z' }] }),
  ]);
  expect(await lines('belay_runs')).toEqual([
    'belay_runs{environment="production",phase="control-plane",waiting_for=""} 1',
    'belay_runs{environment="production",phase="control-plane",waiting_for="wave"} 1',
    'belay_runs{environment="production",phase="control-plane",waiting_for="before"} 1',
  ]);
  expect(await lines('belay_gate_waiting_seconds')).toEqual([
    'belay_gate_waiting_seconds{environment="production",gate="before"} 3600',
    'belay_gate_waiting_seconds{environment="production",gate="wave"} 7200',
  ]);
  expect((await lines('belay_run_info'))[0]).toBe(
    'belay_run_info{account="111122223333",region="eu-west-1",cluster="prod",target="1.34",phase="control-plane",run="run-1"} 1',
  );
});

test('a run that has closed is gone with its labels', async () => {
  series.saw([run()]);
  series.saw([]);
  expect([...(await lines('belay_runs')), ...(await lines('belay_run_info'))]).toEqual([]);
});

test('what Temporal has not said for two minutes is not shown as true, and the time of the last answer stays', async () => {
  series.saw([run()]);
  nowMs += 60_000;
  series.missed();
  expect(await lines('belay_runs')).toHaveLength(1);
  nowMs += 61_000;
  series.missed();
  expect(await lines('belay_runs')).toEqual([]);
  expect(await lines('belay_runs_read_timestamp_seconds')).toEqual([`belay_runs_read_timestamp_seconds ${NOW_MS / 1000}`]);
});

test('O22: what anybody may have written to Temporal becomes no label', async () => {
  const forged = 'let me in"} 1\nbelay_runs 99';
  series.saw([
    run({ phase: forged, target: forged }),
    run({ cluster: { ...CLUSTER, name: forged }, phase: 'node-groups' }),
    run({ phase: undefined, target: undefined, gates: [{ kind: 'before' }] }),
  ]);
  expect(await registry.metrics()).not.toContain('let me in');
  expect(await lines('belay_runs')).toEqual([
    'belay_runs{environment="production",phase="unknown",waiting_for=""} 1',
    'belay_runs{environment="unknown",phase="node-groups",waiting_for=""} 1',
    'belay_runs{environment="production",phase="unknown",waiting_for="before"} 1',
  ]);
  // An open gate whose age is not known has none.
  expect(await lines('belay_gate_waiting_seconds')).toEqual([]);
});

test('O22: two hundred runs are a few hundred series', async () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    run({
      runId: `run-${index}`,
      cluster: { ...CLUSTER, name: `prod-${index}` },
      gates: [{ kind: 'before', openedAt: '2026-11-02T09:00:00Z' }],
    }),
  );
  series.saw(many);
  expect(await lines('belay_run_info')).toHaveLength(200);
  expect((await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')).length).toBeLessThan(250);
});
