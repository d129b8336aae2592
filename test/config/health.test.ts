/** `health:` and `prometheus:` in belay.yaml: sections over one another, and errors that say what would be right. */
import { describe, expect, test } from '@jest/globals';
import { accessOf, policyOf, validateConfig } from '../../domain/config/config.ts';
import { DEFAULT_CHECKS } from '../../domain/config/health-defaults.ts';
import { ConfigError } from '../../domain/config/errors.ts';

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
  test('with a Prometheus the usual checks hold; without one there is nobody to ask', () => {
    expect(healthOf({})).toEqual({
      checks: DEFAULT_CHECKS,
      alerts: 'block',
      ignoreAlerts: ['Watchdog', 'InfoInhibitor', 'DeadMansSwitch'],
    });
    expect(healthOf({}, { prometheus: undefined })).toBeUndefined();
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
    ['a phase that there is not', { 'dns-errors': { guards: ['nodes'] } }, 'write phases such as control-plane'],
  ])('%s', (_title, checks, problem) => {
    expect(problemsOf({ health: { checks } })).toContain(problem);
  });
});

describe('prometheus', () => {
  test('headers, a token from the environment, a signature', () => {
    const prometheus = { ...PROMETHEUS, headers: { 'X-Scope-OrgID': 'team-a' }, bearerTokenFrom: 'PROMETHEUS_TOKEN' };
    expect(accessOf(config({}, { prometheus }), 'prod').prometheus).toEqual(prometheus);
    expect(problemsOf({}, { prometheus: { ...PROMETHEUS, headers: { Authorization: 'Bearer x' } } })).toContain('bearerTokenFrom');
    expect(problemsOf({}, { prometheus: { ...prometheus, sigv4: {} } })).toContain('keep one of them');
  });
});
