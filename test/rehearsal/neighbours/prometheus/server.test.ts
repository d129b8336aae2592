/** Prometheus' stand-in answers in the real envelope, from the world. */
import { describe, expect, test } from 'vitest';
import { startPrometheusServer } from '../../../../rehearsal/neighbours/prometheus/server.ts';
import type { KubeObject, ObjectStore } from '../../../../rehearsal/kubernetes/store.ts';
import { createObjectStore } from '../../../../rehearsal/kubernetes/object-store.ts';
import { buildWorld } from '../../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../../rehearsal/world/manual-clock.ts';
import type { World } from '../../../../rehearsal/world/world.ts';

const NOW = '2025-11-03T09:00:00.000Z';
const NOW_SEC = Date.parse(NOW) / 1000;

function namespace(store: ObjectStore, name: string, rps?: string): void {
  store.create('namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations: rps === undefined ? {} : { 'rehearsal.belay.dev/rps': rps } },
  });
}

function pod(store: ObjectStore, name: string, inNamespace: string, proxy?: { revision: string; version: string }): void {
  const sidecar = proxy === undefined ? [] : [{ name: 'istio-proxy', image: `docker.io/istio/proxyv2:${proxy.version}` }];
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: inNamespace, annotations: proxy === undefined ? {} : { 'istio.io/rev': proxy.revision } },
    spec: { containers: [{ name: 'app', image: 'app:1' }, ...sidecar] },
    status: { phase: 'Running' },
  };
  store.create('pods', object);
  store.update('pods', name, inNamespace, (copy) => Object.assign(copy, { status: { phase: 'Running' } }));
}

/** Two namespaces in the mesh, one outside; three proxies on two revisions. */
function smallWorld(): World {
  const clock = new ManualClock({ startsAt: NOW });
  const world = { ...buildWorld({ scenario: 'seed-000', speed: 1, clock }).world, store: createObjectStore({ now: () => clock.now() }) };
  const { store } = world;
  namespace(store, 'shop', '120');
  namespace(store, 'billing');
  namespace(store, 'tools', '999');
  pod(store, 'cart-0', 'shop', { revision: '1-26', version: '1.26.2' });
  pod(store, 'cart-1', 'shop', { revision: '1-28', version: '1.28.1' });
  pod(store, 'bill-0', 'billing', { revision: '1-26', version: '1.26.2' });
  pod(store, 'tool-0', 'tools');
  return world;
}

interface Reply {
  status: number;
  date: string | null;
  body: {
    status: string;
    errorType?: string;
    error?: string;
    data?: { resultType: string; result: { metric: Record<string, string>; value: [number, string] }[] };
  };
}

async function ask(query: string, options: { time?: string; method?: 'POST'; world?: World } = {}): Promise<Reply> {
  const prometheus = await startPrometheusServer({ world: options.world ?? smallWorld() });
  try {
    const parameters = new URLSearchParams({ query, ...(options.time === undefined ? {} : { time: options.time }) });
    const url = `${prometheus.url}/api/v1/query`;
    const response =
      options.method === 'POST' ? await fetch(url, { method: 'POST', body: parameters }) : await fetch(`${url}?${parameters.toString()}`);
    return { status: response.status, date: response.headers.get('date'), body: (await response.json()) as Reply['body'] };
  } finally {
    await prometheus.close();
  }
}

const valuesOf = ({ body }: Reply): [Record<string, string>, string][] =>
  (body.data?.result ?? []).map(({ metric, value }) => [metric, value[1]]);

describe('queries', () => {
  test.each<[string, [Record<string, string>, string][]]>([
    ['vector(1)', [[{}, '1']]],
    ['up{job="prometheus"}', [[{ __name__: 'up', job: 'prometheus', instance: 'localhost:9090' }, '1']]],
    ['no_such_metric', []],
    ['sum(no_such_metric)', []],
    [
      'sum by (version) (pilot_xds)',
      [
        [{ version: '1.26.2' }, '2'],
        [{ version: '1.28.1' }, '1'],
      ],
    ],
    ['pilot_xds{istio_io_rev=~"1-2[89]"} > 0', [[{ __name__: 'pilot_xds', app: 'istiod', version: '1.28.1', istio_io_rev: '1-28' }, '1']]],
    [
      'sum by (destination_service_namespace) (rate(istio_requests_total{reporter="source"}[5m]))',
      [
        [{ destination_service_namespace: 'shop' }, '120'],
        [{ destination_service_namespace: 'billing' }, '4'],
      ],
    ],
    [
      'sum(increase(istio_requests_total{reporter="source",response_code!~"5.."}[5m])) by (destination_service_namespace) > 10000',
      [[{ destination_service_namespace: 'shop' }, '36000']],
    ],
    ['sum(rate(istio_requests_total{response_code=~"5.."}[5m])) / sum(rate(istio_requests_total[5m]))', []],
    ['sum(kube_pod_status_phase{phase="Running"})', [[{}, '4']]],
    ['count(kube_pod_info{namespace="shop"}) * 2 - 1', [[{}, '3']]],
    ['histogram_quantile(0.99, sum by (le) (rate(pilot_proxy_convergence_time_bucket[5m])))', []],
    ['absent(no_such_metric)', [[{}, '1']]],
    ['sum(no_such_metric) or vector(0)', [[{}, '0']]],
  ])('%s', async (query, expected) => {
    const reply = await ask(query);
    expect([reply.status, reply.body.status, reply.body.data?.resultType]).toEqual([200, 'success', 'vector']);
    const byText = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
    expect(valuesOf(reply).sort(byText)).toEqual(expected.sort(byText));
  });

  test('a scalar, by POST, at a given time, in world time', async () => {
    const reply = await ask('1 + 1', { method: 'POST', time: '1762160400.5' });
    expect(reply.body).toEqual({ status: 'success', data: { resultType: 'scalar', result: [1762160400.5, '2'] } });
    expect(reply.date).toBe(new Date(NOW).toUTCString());
    expect((await ask('time()')).body.data?.result).toEqual([NOW_SEC, String(NOW_SEC)]);
  });

  test.each([
    ['', 'invalid parameter "query": 1:1: parse error: no expression found in input'],
    ['sum(up', 'invalid parameter "query": 1:7: parse error: unexpected end of input'],
    ['up{job=}', 'invalid parameter "query": 1:8: parse error: unexpected "}"'],
    ['up $ 1', 'invalid parameter "query": 1:3: parse error: unexpected character: "$"'],
    ['quantile_of_hope(up)', 'invalid parameter "query": 1:1: parse error: unknown function with name "quantile_of_hope"'],
    ['rate(up)', 'invalid parameter "query": 1:1: parse error: expected type range vector in call to function "rate", got instant vector'],
  ])('refuses %j', async (query, error) => {
    const reply = await ask(query);
    expect([reply.status, reply.body]).toEqual([400, { status: 'error', errorType: 'bad_data', error }]);
  });

  test('refuses a time that is none', async () => {
    const { status, body } = await ask('up', { time: 'soon' });
    expect([status, body.error]).toEqual([400, 'invalid parameter "time": cannot parse "soon" to a valid timestamp']);
  });

  test('a scenario’s mesh can be asked for its proxies and its traffic', async () => {
    const { world } = buildWorld({ scenario: 'seed-002', speed: 1, clock: new ManualClock({ startsAt: NOW }) });
    const proxies = valuesOf(await ask('sum(pilot_xds)', { world }));
    expect(Number(proxies[0]?.[1])).toBeGreaterThan(0);
    const nodes = valuesOf(await ask('sum(kube_node_status_condition{condition="Ready",status="true"})', { world }));
    expect(Number(nodes[0]?.[1])).toBe(world.store.list('nodes').length);
  });

  test('is down: 503', async () => {
    const prometheus = await startPrometheusServer({ world: smallWorld() });
    prometheus.setDown(true);
    expect((await fetch(`${prometheus.url}/api/v1/query?query=up`)).status).toBe(503);
    await prometheus.close();
  });
});
