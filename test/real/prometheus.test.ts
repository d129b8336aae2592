/** Health against a real Prometheus that scrapes the twin's metrics for two clusters: its grammar, the usual queries, matchers, alerts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alertsNow } from '../../activities/observe/health/query.ts';
import { tryChecks } from '../../activities/observe/health/baseline.ts';
import { createPrometheusClient } from '../../activities/clients/metrics/prometheus.ts';
import { healthOf } from '../../domain/policy/config/health/health.ts';
import { promqlProblem, withMatchers } from '../../domain/policy/config/health/promql.ts';
import { close, listen } from '../../rehearsal/world/core/loopback.ts';
import type { Series } from '../../rehearsal/neighbours/prometheus/evaluate.ts';
import { worldMetrics } from '../../rehearsal/neighbours/prometheus/world-metrics.ts';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { provideParts } from '../../rehearsal/real/parts/build.ts';
import { PARTS } from '../../rehearsal/real/parts/table.ts';
import { prometheusRole } from '../../rehearsal/real/programs/prometheus.ts';
import { Troupe } from '../../rehearsal/real/troupe.ts';
import { buildWorld } from '../../rehearsal/world/build.ts';
import { query } from './support/prometheus.ts';

const OWN = 'cluster="prod"';
const { policy: HEALTH } = healthOf([{ interval: 10 }]);
const WHOLE = { karpenter: {}, istio: {} } as unknown as Parameters<typeof tryChecks>[2];
const SCRAPES_MS = 30_000;

const directory = mkdtempSync(join(tmpdir(), 'belay-prometheus-'));
const troupe = new Troupe({ directory, say: () => undefined, onGivenUp: () => undefined });
const { world } = buildWorld({ scenario: 'whole', speed: 1 });
const exporters = [false, true].map((sick) =>
  createServer((_request, response) => void response.end(exposition(worldMetrics(world, { alert: sick, slowApi: sick })))),
);
let url = '';

/** The text format: a counter's value grows by itself. */
function exposition(all: readonly Series[]): string {
  return all
    .map(({ labels: { __name__: name = '', ...labels }, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
      return `${name}{${pairs.join(',')}} ${value}\n`;
    })
    .join('');
}

const own = (matchers: string[] = [OWN]) => createPrometheusClient({ url, matchers });

beforeAll(async () => {
  const [healthy = 0, sick = 0] = await Promise.all(exporters.map((each) => listen(each)));
  const [port = 0] = await freePorts(1);
  const targets = [
    { job: 'healthy', target: `127.0.0.1:${healthy}`, labels: { cluster: 'prod' } },
    { job: 'sick', target: `127.0.0.1:${sick}`, labels: { cluster: 'other' } },
  ];
  const parts = await provideParts(
    PARTS.filter(({ name }) => name === 'prometheus'),
    { env: process.env, say: () => undefined },
  );
  const role = prometheusRole([...parts.values()][0] ?? 'prometheus', { directory, port, everySeconds: 2, targets });
  url = role.url;
  troupe.start(role);
  // Rates need some scrapes of both.
  const deadlineMs = Date.now() + 3 * SCRAPES_MS;
  const scraped = async (): Promise<number> => Number((await query(url, 'min(count_over_time(up[5m]))').catch(() => []))[0]?.value ?? 0);
  while ((await scraped()) < 4 && Date.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 500));
}, 4 * SCRAPES_MS);

afterAll(async () => {
  await troupe.close();
  await Promise.all(exporters.map((each) => close(each)));
  rmSync(directory, { recursive: true, force: true });
});

describe('the usual checks', () => {
  test('each is PromQL to Prometheus, and sees the cluster', async () => {
    const tried = await tryChecks({ prometheus: own() }, HEALTH, WHOLE);
    expect(tried).toHaveLength(HEALTH.checks.length);
    expect(tried?.filter(({ kind }) => kind !== 'live')).toEqual([]);
  });

  test('each is blind to a cluster that is not scraped', async () => {
    const tried = await tryChecks({ prometheus: own(['cluster="nobody"']) }, HEALTH, WHOLE);
    expect(tried?.filter(({ kind }) => kind !== 'blind')).toEqual([]);
  });

  test("the other cluster's latency counts only without matchers", async () => {
    const latency = async (matchers: string[]): Promise<number> => {
      const check = HEALTH.checks.find(({ name }) => name === 'api-server-latency');
      const [sample] = await own(matchers).query(check?.query ?? '');
      return sample?.value ?? Number.NaN;
    };
    expect(await latency([OWN])).toBeLessThan(1);
    expect(await latency(['cluster="other"'])).toBeGreaterThan(1);
    expect(await latency([])).toBeGreaterThan(1);
  });
});

test('alerts of the other cluster stop nothing', async () => {
  expect(await alertsNow({ prometheus: own() }, HEALTH.ignoreAlerts)).toEqual({ kind: 'quiet' });
  expect(await alertsNow({ prometheus: own([]) }, HEALTH.ignoreAlerts)).toMatchObject({ kind: 'firing' });
});

describe('Prometheus reads as the file is read', () => {
  test.each([
    'up',
    'up{}',
    'up{job="healthy",}',
    '{__name__=~"up|down"}',
    'rate(up{a="1"}[5m] offset 1h)',
    'max_over_time(sum(up)[5m:30s])',
    'sum by (le, up) (up) / on () group_left () sum(up)',
    'label_replace(up, "a", "{}", "b", "x{")',
    'up{a="}{"} or up # down{}',
    'vector(1) + Inf',
    'sum(up @ end())',
    'absent(nothing{a!~"b"})',
    'topk(2, up) > bool 0',
    'quantile_over_time(0.9, up[5m])',
    'histogram_quantile(0.9, sum without (a) (rate(x_bucket[1m])))',
  ])('%s', async (promql) => {
    expect(promqlProblem(promql)).toBeUndefined();
    await expect(own([]).query(promql)).resolves.toBeInstanceOf(Array);
    // In each selector: nothing is left of what has another label.
    const answer = await own().query(promql);
    expect(answer.every(({ labels }) => (labels['cluster'] ?? 'prod') === 'prod')).toBe(true);
    expect(withMatchers(promql, [OWN]).includes(OWN)).toBe(promql !== 'vector(1) + Inf');
  });

  test.each(['sum(', 'up{job=}', 'up down', 'ratte(up[5m])', 'up[5]x', 'sum by (x up'])('not %s', async (promql) => {
    expect(promqlProblem(promql)).toContain('write PromQL: it breaks off at');
    await expect(own([]).query(promql)).rejects.toThrow('bad_data');
  });
});
