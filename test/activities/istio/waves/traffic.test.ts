/** A wave's traffic by Prometheus, and how a watch ends by it. */
import { describe, expect, test } from 'vitest';
import type { PrometheusPort } from '../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addMeshPod, meshWorld } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const BY = 'destination_service_namespace';

/** cart receives ten requests per second. `errorShare` is asked for at each look. */
function prometheusOf(errorShare: () => number): PrometheusPort & { queries: string[] } {
  const queries: string[] = [];
  const of = (value: number) => [{ labels: { [BY]: 'cart' }, value }];
  return {
    queries,
    async query(promql) {
      queries.push(promql);
      if (promql.includes('pilot_xds')) return [{ labels: { version: '1.26.2' }, value: 9 }];
      if (promql.startsWith('histogram_quantile')) return of(80.04);
      return promql.includes('5..') ? of(10 * errorShare()) : [...of(10), { labels: { [BY]: 'other' }, value: 1 }];
    },
  };
}

describe('reading', () => {
  const read = (prometheus?: PrometheusPort) =>
    createIstioActivities(depsOf(meshWorld(), prometheus === undefined ? {} : { prometheus })).readWaveTraffic({
      cluster: CLUSTER,
      namespaces: ['cart', 'mail'],
    });

  test('takes the namespaces of the wave, from one reporter, and nothing for those without traffic', async () => {
    const prometheus = prometheusOf(() => 0.02);
    expect(await read(prometheus)).toEqual({
      before: { kind: 'seen', namespaces: { cart: { requestsPerSecond: 10, errorShare: 0.02, p99Ms: 80 } } },
      connected: { kind: 'seen', versions: { '1.26.2': 9 } },
    });
    const traffic = prometheus.queries.filter((query) => query.includes('istio_'));
    expect(traffic).toHaveLength(3);
    for (const query of traffic) expect(query).toContain('reporter=~"source|waypoint"');
  });

  test('brings the labels of the wave along where they are asked for, as they are read by themselves', async () => {
    const istio = createIstioActivities(depsOf(meshWorld(), { prometheus: prometheusOf(() => 0.02) }));
    const wave = { cluster: CLUSTER, namespaces: ['cart', 'mail'] };
    const { before } = await istio.readWave(wave);
    expect(before.map(({ namespace }) => namespace)).toEqual(['cart', 'mail']);
    expect((await istio.readWaveTraffic({ ...wave, labels: true })).labels).toEqual(before);
  });

  const NO_PROXIES = 'Prometheus has no series istio_requests_total: proxies are not scraped';
  const NO_ISTIOD = 'Prometheus has no series pilot_xds: istiod is not scraped';
  test.each<[string, PrometheusPort | undefined, string, string?]>([
    ['no Prometheus', undefined, 'no Prometheus is configured'],
    ['no series', { query: async () => [] }, NO_PROXIES, NO_ISTIOD],
    [
      'Prometheus away',
      { query: () => Promise.reject(failureOf('Unavailable', 'asking Prometheus: it answered 503')) },
      'asking Prometheus: it answered 503',
    ],
  ])('%s is blindness, not calm', async (_title, prometheus, why, ofIstiod = why) => {
    expect(await read(prometheus)).toEqual({ before: { kind: 'blind', why }, connected: { kind: 'blind', why: ofIstiod } });
  });

  test.each([
    ['istio_requests_total', 'traffic'],
    ['pilot_xds', 'connected proxies'],
  ])('a fault of Belay’s own at %s is no blindness for %s', async (metric) => {
    const { query } = prometheusOf(() => 0);
    const broken: PrometheusPort = {
      query: (promql) => (promql.includes(metric) ? Promise.reject(new TypeError('labels is undefined')) : query(promql)),
    };
    await expect(read(broken)).rejects.toThrow(TypeError);
  });

  test('gateways by what their workloads pass on: rates add up, of several latencies the worst counts', async () => {
    const series: [namespace: string, workload: string, rate: number, errors: number, p99: number][] = [
      ['edge', 'public-istio', 10, 1, 40],
      ['edge', 'public-istio-spare', 30, 1, 90],
      ['edge', 'publication', 500, 500, 500],
      ['other', 'public-istio', 500, 500, 500],
    ];
    const { query } = prometheusOf(() => 0);
    const prometheus: PrometheusPort = {
      query: async (promql) => {
        if (!promql.includes('source_workload')) return await query(promql);
        const column = promql.startsWith('histogram_quantile') ? 4 : promql.includes('5..') ? 3 : 2;
        return series.map((row) => ({
          labels: { source_workload_namespace: row[0], source_workload: row[1] },
          value: row[column],
        }));
      },
    };
    const { before } = await createIstioActivities(depsOf(meshWorld(), { prometheus })).readWaveTraffic({
      cluster: CLUSTER,
      namespaces: [],
      gateways: [
        { kind: 'Gateway', namespace: 'edge', name: 'public' },
        { kind: 'Deployment', namespace: 'edge', name: 'idle' },
      ],
    });
    expect(before).toEqual({
      kind: 'seen',
      namespaces: { 'gateway edge/public': { requestsPerSecond: 40, errorShare: 0.05, p99Ms: 90 } },
    });
  });
});

describe('watching', () => {
  async function watch(errorShare: () => number, watchMs: number) {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', '1-28', '1.28.3');
    const prometheus = prometheusOf(errorShare);
    const istio = createIstioActivities(depsOf(port, { prometheus }));
    const input = {
      cluster: CLUSTER,
      timing: quickTiming({ rolloutTimeoutMs: 5_000 }),
      namespaces: ['cart'],
      revision: '1-28',
      minor: '1.28',
    };
    const before = { kind: 'seen', namespaces: { cart: { requestsPerSecond: 10, errorShare: 0.006, p99Ms: 80 } } } as const;
    return await istio.awaitProxies({ ...input, watchMs, before });
  }

  test('ends well when the time is over and the traffic is as before', async () => {
    expect(await watch(() => 0.006, 20)).toEqual({
      ok: true,
      podCount: 1,
      wrong: [],
      timedOut: false,
      traffic: { kind: 'pass', lines: ['cart: 5xx 0.6 % → 0.6 %, p99 80 ms → 80 ms, 10 requests/s'] },
    });
  });

  test('ends as soon as the traffic is worse for three looks, long before its time', async () => {
    const began = Date.now();
    const { ok, traffic } = await watch(() => 0.02, 600_000);
    expect({ ok, traffic }).toEqual({ ok: true, traffic: { kind: 'fail', lines: ['cart: 5xx 0.6 % → 2 % (3 of the last 3 readings)'] } });
    expect(Date.now() - began).toBeLessThan(300_000);
  });

  test('without a time it looks often enough to say something', async () => {
    expect((await watch(() => 0.006, 0)).traffic?.kind).toBe('pass');
  });
});
