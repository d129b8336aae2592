/** Health against the twin's Prometheus: every usual query sees, and nothing that cannot be asked is well. */
import { afterEach, describe, expect, test } from 'vitest';
import { tryChecks } from '../../../../activities/observe/health/baseline.ts';
import { createHealthActivities } from '../../../../activities/observe/health/index.ts';
import { createPrometheusClient } from '../../../../activities/clients/metrics/prometheus.ts';
import { healthOf } from '../../../../domain/policy/config/health/health.ts';
import { type PrometheusStandIn, startPrometheusServer } from '../../../../rehearsal/neighbours/prometheus/server.ts';
import { buildWorld } from '../../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../../rehearsal/world/manual-clock.ts';
import { policy as somePolicy } from '../../../support/facts.ts';

const { policy: HEALTH } = healthOf([{ interval: 10 }]);
const { cluster, timing } = somePolicy();
const IGNORE = HEALTH.ignoreAlerts;

const open: PrometheusStandIn[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function twin(scenario: string, faults: string[] = []) {
  const built = buildWorld({ scenario, speed: 1, faults, clock: new ManualClock({ startsAt: '2025-04-29T09:00:00Z' }) });
  built.world.faults.meet({ api: 'eks', operation: 'UpdateClusterVersion', resource: scenario, mutates: true });
  const standIn = await startPrometheusServer({ world: built.world });
  open.push(standIn);
  const prometheus = createPrometheusClient({ url: standIn.url, timeoutMs: 2000 });
  // Kubernetes is not asked.
  const ports = { kubernetes: undefined as never, prometheus };
  const activities = createHealthActivities({ clusterPorts: async () => ports, judgeWindow: async () => ({ kind: 'open' }) });
  return { standIn, prometheus, activities };
}
const MESHED = { karpenter: {}, istio: {} } as unknown as Parameters<typeof tryChecks>[2];

describe('before the upgrade', () => {
  test.each(['small', 'whole'])('%s: every usual query has series', async (scenario) => {
    const { prometheus } = await twin(scenario);
    const has = scenario === 'whole' ? MESHED : { karpenter: MESHED.karpenter };
    const tried = await tryChecks({ prometheus }, HEALTH, has);
    expect(tried?.filter(({ kind }) => kind !== 'live')).toEqual([]);
    expect(tried?.map(({ name }) => name).includes('mesh-errors')).toBe(scenario === 'whole');
  });

  test.each<[string, object, object[]]>([
    ['without an alert, even one that always fires', {}, [{ name: 'alerts', kind: 'blind', why: expect.stringContaining('Watchdog') }]],
    ['whose alerts stop nothing', { alerts: 'ignore' }, []],
  ])('a Prometheus %s', async (_title, change, said) => {
    const { prometheus } = await twin('small');
    const blind = { query: async (promql: string) => (promql.includes('ALERTS') ? [] : await prometheus.query(promql)) };
    const tried = await tryChecks({ prometheus: blind }, { ...HEALTH, ...change }, {});
    expect(tried?.filter(({ kind }) => kind !== 'live')).toMatchObject(said);
  });

  test('a Prometheus that does not answer is unknown, not blind', async () => {
    const { prometheus, standIn } = await twin('small');
    standIn.setDown(true);
    const tried = await tryChecks({ prometheus }, HEALTH, {});
    expect(new Set(tried?.map(({ kind }) => kind))).toEqual(new Set(['unseen']));
  });
});

describe('alerts', () => {
  test('P5: what fires is named, Watchdog aside; it ends when it is resolved', async () => {
    const { activities } = await twin('small', ['prometheus:alert=2@GATE']);
    expect(await activities.judgeAlerts({ cluster, ignore: IGNORE })).toEqual({ kind: 'quiet' });
    const { activities: sick } = await twin('small', ['prometheus:alert=3@UpdateClusterVersion']);
    expect(await sick.judgeStart({ cluster, phases: ['node-groups'], needMs: 1, ignore: IGNORE })).toEqual({
      window: { kind: 'open' },
      alerts: { kind: 'firing', alerts: [{ name: 'KubePersistentVolumeFillingUp', severity: 'critical', seriesCount: 1, where: 'shop' }] },
    });
    const quick = { ...timing, pollMinMs: 10, pollMaxMs: 10 };
    expect(await sick.awaitQuiet({ cluster, timing: quick, ignore: IGNORE })).toEqual({ quiet: true });
  });

  describe('a Prometheus whose pod was replaced, and that forgot which alerts fired', () => {
    /** What it answers by query; nothing to the others. */
    const judged = async (answers: Record<string, Record<string, string>[]>) => {
      const prometheus = { query: async (promql: string) => (answers[promql] ?? []).map((labels) => ({ labels, value: 1 })) };
      const ports = { kubernetes: undefined as never, prometheus };
      const { judgeAlerts } = createHealthActivities({ clusterPorts: async () => ports, judgeWindow: async () => ({ kind: 'open' }) });
      return await judgeAlerts({ cluster, ignore: IGNORE });
    };
    const PENDING = { 'ALERTS{alertstate="pending"}': [{ alertname: 'KubePodNotReady', severity: 'warning' }] };

    test('what is pending may be what fired before: unknown, with its name', async () => {
      expect(await judged({ ...PENDING, 'count(up)': [{}] })).toEqual({
        kind: 'unknown',
        why: 'Prometheus has no data from 15 minutes ago, so alerts that were firing start over as pending: KubePodNotReady',
      });
    });

    test.each<[string, Parameters<typeof judged>[0]]>([
      ['one that has been up for longer, where alerts are pending', { ...PENDING, 'count(up)': [{}], 'count(up offset 15m)': [{}] }],
      ['one that keeps no series of its targets', PENDING],
      ['a young one where nothing is pending', { 'count(up)': [{}] }],
      [
        'pending alerts that stop nothing',
        { 'ALERTS{alertstate="pending"}': [{ alertname: 'CPUThrottlingHigh', severity: 'info' }], 'count(up)': [{}] },
      ],
    ])('%s: quiet', async (_what, answers) => {
      expect(await judged(answers)).toEqual({ kind: 'quiet' });
    });
  });

  test('P5: a Prometheus that does not answer is unknown', async () => {
    const { activities, standIn } = await twin('small');
    standIn.setDown(true);
    expect(await activities.judgeAlerts({ cluster, ignore: IGNORE })).toMatchObject({ kind: 'unknown' });
  });
});

describe('a watch', () => {
  test('ends with what fails', async () => {
    const { activities } = await twin('small', ['prometheus:slow-api=20@UpdateClusterVersion']);
    const checks = HEALTH.checks.filter(({ name }) => name === 'api-server-latency').map((check) => ({ check, baseline: 0.3 }));
    const trouble = await activities.watchHealth({ cluster, timing, phase: 'control-plane', checks });
    expect(trouble).toMatchObject({ kind: 'fail', checks: ['api-server-latency'], lines: [expect.stringContaining('limit > 1')] });
  });

  test('ends with what only warns, without a picture', async () => {
    const { activities } = await twin('small', ['prometheus:slow-api=20@UpdateClusterVersion']);
    const [latency] = HEALTH.checks
      .filter(({ name }) => name === 'api-server-latency')
      .map((check) => ({ ...check, severity: 'warn' as const }));
    const checks = latency === undefined ? [] : [{ check: latency, baseline: 0.3 }];
    expect(await activities.watchHealth({ cluster, timing, phase: 'bake', checks })).toEqual({
      kind: 'warn',
      checks: ['api-server-latency'],
      lines: [expect.stringContaining('limit > 1')],
    });
  });

  test.each(['control-plane', 'control-plane-back'] as const)(
    '%s: an API server that is being replaced is away, and no reason to ask',
    async (phase) => {
      const checks = HEALTH.checks.filter(({ name }) => name === 'api-server-latency').map((check) => ({ check, baseline: 0.3 }));
      let looks = 0;
      // More often than a check may see nothing; then it is back, and slow.
      const prometheus = { query: async () => ((looks += 1) > 20 ? [{ labels: {}, value: 6.1 }] : []) };
      const ports = { kubernetes: undefined as never, prometheus };
      const { watchHealth } = createHealthActivities({ clusterPorts: async () => ports, judgeWindow: async () => ({ kind: 'open' }) });
      expect(await watchHealth({ cluster, timing: { ...timing, apiTransientMs: 600_000 }, phase, checks })).toMatchObject({ kind: 'fail' });
    },
  );

  test('ends with what it cannot see', async () => {
    const { activities, standIn } = await twin('small');
    standIn.setDown(true);
    const checks = HEALTH.checks.filter(({ name }) => name === 'dns-errors').map((check) => ({ check, baseline: 0 }));
    expect(await activities.watchHealth({ cluster, timing, phase: 'bake', checks })).toMatchObject({
      kind: 'inconclusive',
      checks: ['dns-errors'],
    });
  });
});
