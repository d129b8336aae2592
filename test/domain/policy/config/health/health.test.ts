/** `health:` and `prometheus:` in belay.yaml: sections over one another, and errors that say what would be right. */
import { describe, expect, test } from 'vitest';
import { validateConfig } from '../../../../../domain/policy/config/config.ts';
import { DEFAULT_CHECKS } from '../../../../../domain/policy/config/health/health-defaults.ts';
import { SCRAPE_CHECKS } from '../../../../../domain/policy/config/health/scrape-checks.ts';
import { ConfigError } from '../../../../../domain/policy/config/base/errors.ts';
import { accessOf, policyOf } from '../../../../../domain/policy/config/of-cluster.ts';

const PROMETHEUS = { url: 'http://prometheus:9090' };

function config(more: Record<string, unknown>, cluster: Record<string, unknown> = {}) {
  return validateConfig(
    {
      clusters: { prod: { region: 'eu-west-1', account: '111122223333', environment: 'production', prometheus: PROMETHEUS, ...cluster } },
      ...more,
    },
    { fileName: 'belay.yaml' },
  );
}
const healthOf = (more: Record<string, unknown>, cluster?: Record<string, unknown>) => policyOf(config(more, cluster), 'prod').health;

function problemsOf(more: Record<string, unknown>, cluster?: Record<string, unknown>): string {
  try {
    config(more, cluster);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('health', () => {
  test('with a Prometheus the usual checks hold', () => {
    expect(healthOf({})).toEqual({
      checks: DEFAULT_CHECKS,
      alerts: 'block',
      ignoreAlerts: ['Watchdog', 'InfoInhibitor', 'DeadMansSwitch'],
    });
  });

  test('without a Prometheus those hold that scrapes can judge, unless scrapes are off; alerts are nobody’s', () => {
    const alone = { prometheus: undefined };
    expect(healthOf({}, alone)).toEqual({
      checks: SCRAPE_CHECKS,
      alerts: 'ignore',
      ignoreAlerts: ['Watchdog', 'InfoInhibitor', 'DeadMansSwitch'],
    });
    expect(healthOf({ health: { scrape: false } }, alone)).toBeUndefined();
    expect(healthOf({ health: { scrape: false } }, { ...alone, health: { scrape: true } })?.checks).toHaveLength(SCRAPE_CHECKS.length);
  });

  test('a key under the name of a check tunes it wherever it is judged; a query of one’s own needs a Prometheus', () => {
    const health = {
      checks: {
        'api-server-errors': { failWhen: { operator: '>', value: 0.2 } },
        'istiod-rejects': { severity: 'block' },
        'karpenter-queue': { off: true },
        'dns-errors': { query: 'sum(dns_errors)' },
        'pods-pending': { severity: 'warn' },
      },
    };
    const alone = healthOf({ health }, { prometheus: undefined })?.checks ?? [];
    const named = (name: string) => alone.find((check) => check.name === name);
    expect(named('api-server-errors')).toMatchObject({ failWhen: { kind: 'value', operator: '>', value: 0.2 }, scrape: { kind: 'share' } });
    expect(named('api-server-errors')?.query).toBeUndefined();
    expect(named('istiod-rejects')?.severity).toBe('block');
    expect(['karpenter-queue', 'dns-errors', 'pods-pending'].map(named)).toEqual([undefined, undefined, undefined]);
    const beside = healthOf({ health })?.checks ?? [];
    expect(beside.map(({ name }) => name)).toEqual(DEFAULT_CHECKS.map(({ name }) => name));
    expect(beside.filter(({ scrape }) => scrape !== undefined)).toEqual([]);
  });

  test('a check of scrapes that can never fail is refused in any file', () => {
    expect(problemsOf({ health: { checks: { 'karpenter-queue': { count: 3 } } } })).toContain(
      'clusters.prod.health.checks.karpenter-queue: failureLimit has to be less than count, or it can never fail',
    );
  });

  test('a section says what differs; the nearer one wins, alerts that stop nothing hold together', () => {
    const health = healthOf(
      {
        health: { interval: '10s', checks: { 'dns-errors': { off: true }, 'pods-pending': { severity: 'warn' } }, ignoreAlerts: ['A'] },
        environments: {
          production: { health: { checks: { 'pods-pending': { failWhen: { baseline: 3, atLeast: 50 } } }, alerts: 'ignore' } },
        },
      },
      {
        health: {
          ignoreAlerts: ['B'],
          checks: {
            checkout: {
              query: 'sum(rate(checkout_errors[1m]))',
              failWhen: { operator: '>=', value: 5 },
              interval: '1m',
              guards: ['karpenter-drift'],
            },
          },
        },
      },
    );
    const named = (name: string) => health?.checks.find((check) => check.name === name);
    expect(named('dns-errors')).toBeUndefined();
    expect(named('pods-pending')).toMatchObject({
      severity: 'warn',
      failWhen: { kind: 'baseline', factor: 3, atLeast: 50 },
      intervalMs: 10_000,
      count: 20,
    });
    expect(named('checkout')).toMatchObject({
      failWhen: { kind: 'value', operator: '>=', value: 5 },
      intervalMs: 60_000,
      guards: ['karpenter-drift'],
      onEmpty: 'inconclusive',
      failureLimit: 2,
    });
    expect([health?.alerts, health?.ignoreAlerts.slice(-2)]).toEqual(['ignore', ['A', 'B']]);
  });

  test.each<[string, unknown, string]>([
    [
      'no query',
      { 'my-check': { failWhen: { operator: '>', value: 1 } } },
      'health.checks.my-check: has no query, and is none of the usual checks',
    ],
    ['no condition', { 'my-check': { query: 'up' } }, 'health.checks.my-check: has no failWhen; write operator and value'],
    ['pass for what is empty', { 'dns-errors': { onEmpty: 'pass' } }, 'write inconclusive or fail: what is not seen is never good'],
    ['both conditions', { 'dns-errors': { failWhen: { baseline: 2, value: 1, operator: '>' } } }, 'write operator and value, such as'],
    ['never to fail', { 'dns-errors': { failureLimit: 9 } }, 'failureLimit has to be less than count, or it can never fail'],
    ['no PromQL', { 'dns-errors': { query: 'sum(rate(x[5m])' } }, 'write PromQL: it breaks off at its end'],
    [
      'two sources',
      { 'dns-errors': { query: 'up', cloudWatch: { namespace: 'AWS/EKS', metric: 'x', stat: 'Sum' } } },
      'both query and cloudWatch are given, and a check has one source; keep one of them',
    ],
    [
      'half a metric',
      { 'dns-errors': { cloudWatch: { namespace: 'AWS/EKS', metric: 'x' } } },
      'write namespace, metric and stat, or expression',
    ],
    [
      'no statistic',
      { 'dns-errors': { cloudWatch: { namespace: 'A', metric: 'x', stat: 'Mean' } } },
      'write a statistic such as Sum, Average or p99',
    ],
    [
      'half a minute',
      { 'dns-errors': { cloudWatch: { namespace: 'A', metric: 'x', stat: 'Sum', period: '90s' } } },
      'write whole minutes such as "1m"',
    ],
    ['a phase that there is not', { 'dns-errors': { guards: ['nodes'] } }, 'write phases such as control-plane'],
  ])('%s', (_title, checks, problem) => {
    expect(problemsOf({ health: { checks } })).toContain(problem);
  });
});

describe('CloudWatch', () => {
  const metric = { namespace: 'AWS/EKS', metric: 'scheduler_pending_pods', dimensions: { ClusterName: 'prod' }, stat: 'Maximum' };
  const failWhen = { operator: '>', value: 5 };

  test('watches alone where there is no Prometheus, and nobody is asked for alerts', () => {
    const health = healthOf(
      { health: { scrape: false, checks: { waiting: { cloudWatch: metric, failWhen }, other: { query: 'up', failWhen } } } },
      { prometheus: undefined },
    );
    expect(health).toMatchObject({
      alerts: 'ignore',
      checks: [{ name: 'waiting', cloudWatch: { periodMs: 60_000, metrics: { m: metric } } }],
    });
    expect(health?.checks).toHaveLength(1);
  });

  test('takes the place of a query of an earlier section or of a usual check, and the other way round', () => {
    const named = (more: Record<string, unknown>, cluster: Record<string, unknown>) =>
      healthOf(more, cluster)?.checks.find(({ name }) => name === 'pods-pending');
    const usual = named({}, { health: { checks: { 'pods-pending': { cloudWatch: metric } } } });
    expect([usual?.query, usual?.cloudWatch?.metrics, usual?.failWhen]).toEqual([
      undefined,
      { m: metric },
      { kind: 'baseline', factor: 2, atLeast: 10 },
    ]);
    const back = named(
      { health: { checks: { 'pods-pending': { cloudWatch: metric } } } },
      { health: { checks: { 'pods-pending': { query: 'up' } } } },
    );
    expect([back?.query, back?.cloudWatch]).toEqual(['up', undefined]);
  });
});

describe('prometheus', () => {
  test('headers, a token from the environment, a signature', () => {
    const prometheus = { ...PROMETHEUS, headers: { 'X-Scope-OrgID': 'team-a' }, bearerTokenFrom: 'PROMETHEUS_TOKEN' };
    expect(accessOf(config({}, { prometheus }), 'prod').prometheus).toEqual(prometheus);
    expect(problemsOf({}, { prometheus: { ...PROMETHEUS, headers: { Authorization: 'Bearer x' } } })).toContain('bearerTokenFrom');
    expect(problemsOf({}, { prometheus: { ...prometheus, sigv4: {} } })).toContain('keep one of them');
  });

  test('matchers of a shared one, and its Alertmanager', () => {
    const prometheus = { ...PROMETHEUS, matchers: ['cluster="prod"'], alertmanager: { url: 'http://alertmanager:9093', sigv4: {} } };
    expect(accessOf(config({}, { prometheus }), 'prod').prometheus).toEqual(prometheus);
    expect(problemsOf({}, { prometheus: { ...prometheus, matchers: ['cluster=prod'] } })).toContain(
      'clusters.prod.prometheus.matchers[0]: "cluster=prod" is not valid; write a label matcher such as cluster="prod"',
    );
    expect(problemsOf({}, { prometheus: { ...PROMETHEUS, alertmanager: { ...prometheus.alertmanager, bearerTokenFrom: 'X' } } })).toContain(
      'clusters.prod.prometheus.alertmanager: both bearerTokenFrom and sigv4 are given',
    );
  });
});
