/** Health by scrapes against a real kube-apiserver: its own metrics and /readyz, pods through its proxy, and the rights that both take. */
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectionFactory } from '../../activities/clients/kubernetes/connection.ts';
import { createKubernetesPort } from '../../activities/clients/kubernetes/client.ts';
import { createTransport, type Transport } from '../../activities/clients/kubernetes/transport.ts';
import { tryChecks } from '../../activities/observe/health/baseline.ts';
import { createScraper } from '../../activities/clients/metrics/scraper.ts';
import { healthOf } from '../../domain/policy/config/health/health.ts';
import { close } from '../../rehearsal/world/core/loopback.ts';
import { exposition } from '../../rehearsal/neighbours/prometheus/exposition.ts';
import { dnsMetrics } from '../../rehearsal/neighbours/prometheus/platform-metrics.ts';
import { series } from '../../rehearsal/neighbours/prometheus/series.ts';
import { Api } from '../../rehearsal/real/api.ts';
import { startControlPlane } from '../contract/real/control-plane.ts';
import { type ContractServer, READER, TOKENS } from '../contract/server.ts';
import { CLUSTER } from '../support/facts.ts';

const LIMIT_MS = 720_000;
const { policy: HEALTH } = healthOf([{ interval: 2000 }], false);
const startedMs = Date.now();
/** What a CoreDNS would say. */
const dns = createServer((_request, response) => {
  const answers = dnsMetrics((Date.now() - startedMs) / 1000);
  response.end(
    exposition([
      { name: 'process_start_time_seconds', type: 'gauge', help: '', series: [series('process_start_time_seconds', {}, startedMs / 1000)] },
      { name: 'coredns_dns_responses_total', type: 'counter', help: 'Counter of response status codes.', series: answers },
    ]),
  );
});

let server: ContractServer;
let api: Api;
let dnsPort = 0;
const transports: Transport[] = [];

beforeAll(async () => {
  server = await startControlPlane('1.34');
  const ca = Buffer.from(server.caData, 'base64').toString('utf8');
  api = new Api({ url: server.url, ca, token: TOKENS.admin });
  dnsPort = await new Promise<number>((resolve) => {
    dns.listen(0, '0.0.0.0', () => {
      const address = dns.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}, LIMIT_MS);

afterAll(async () => {
  for (const transport of transports) await transport.close();
  await close(dns);
  await server?.close();
}, LIMIT_MS);

function metricsAs(token: string) {
  const tokens = { token: async () => token, renew: () => undefined };
  const transport = createTransport(
    connectionFactory({ ref: CLUSTER }, { endpoint: async () => ({ endpoint: server.url, caData: server.caData }), tokens }),
  );
  transports.push(transport);
  return { scrapes: createScraper(createKubernetesPort(transport)) };
}

async function tried(token: string, names: RegExp) {
  const checks = HEALTH.checks.filter(({ name }) => names.test(name));
  return await tryChecks(metricsAs(token), { ...HEALTH, checks }, {});
}

/** A pod whose address is this machine's: an API server proxies to no loopback. */
async function runDns(): Promise<void> {
  const ip = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  const metadata = { name: 'coredns-0', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
  const containers = [{ name: 'coredns', image: 'coredns', ports: [{ name: 'metrics', containerPort: dnsPort }] }];
  const pods = '/api/v1/namespaces/kube-system/pods';
  await api.post(pods, { metadata, spec: { nodeName: 'node-1', containers } });
  await api.patch(`${pods}/coredns-0/status`, { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] } });
}

async function grant(name: string, namespace: string | undefined, rules: object[]): Promise<void> {
  const [kind, place] = namespace === undefined ? ['ClusterRole', ''] : ['Role', `/namespaces/${namespace}`];
  const plural = kind.toLowerCase();
  const base = `/apis/rbac.authorization.k8s.io/v1${place}`;
  await api.post(`${base}/${plural}s`, { metadata: { name }, rules });
  await api.post(`${base}/${plural}bindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'Group', name: READER.group, apiGroup: 'rbac.authorization.k8s.io' }],
  });
}

describe('the API server', () => {
  test(
    'says of itself what every check of it needs',
    async () => {
      const busy = setInterval(
        () => void api.post('/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'busy-' } }).catch(() => {}),
        100,
      );
      const seen = await tried(TOKENS.admin, /^api-server-/).finally(() => clearInterval(busy));
      expect(seen?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
        'api-server-ready live',
        'api-server-errors live',
        'api-server-latency live',
        'api-server-lists live',
      ]);
      const [ready, errors, latency] = seen?.map((each) => (each.kind === 'live' ? each.baseline : Number.NaN)) ?? [];
      expect([ready, errors]).toEqual([0, 0]);
      // Somebody wrote all the time, and nobody waited for a minute.
      expect(latency).toBeGreaterThan(0);
      expect(latency).toBeLessThan(60);
    },
    LIMIT_MS,
  );

  test(
    'keeps its metrics from whom nobody has granted them, and the checks say so',
    async () => {
      expect(await tried(TOKENS.reader, /^api-server-errors/)).toEqual([
        {
          name: 'api-server-errors',
          kind: 'blind',
          why: 'Belay may not scrape the API server (get on the path /metrics; deploy/kubernetes-rbac.yaml lets it)',
        },
      ]);
    },
    LIMIT_MS,
  );
});

test(
  'a pod is scraped through the proxy, by the right of its namespace alone',
  async () => {
    await runDns();
    await grant('pods', undefined, [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]);
    await grant('elsewhere', 'default', [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] }]);
    const denied = async () => (await tried(TOKENS.reader, /^dns-errors/)) ?? [];
    let before = await denied();
    // An authorizer reads its roles a moment later.
    for (let left = 20; before[0]?.kind === 'unseen' && left > 0; left -= 1) before = await denied();
    expect(before).toEqual([
      {
        name: 'dns-errors',
        kind: 'blind',
        why: 'Belay may not scrape pods of CoreDNS (get on pods/proxy in kube-system; deploy/kubernetes-rbac-scrapes.yaml lets it)',
      },
    ]);
    await grant('scrapes', 'kube-system', [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] }]);
    let after = await denied();
    for (let left = 20; after[0]?.kind === 'blind' && left > 0; left -= 1) after = await denied();
    expect(after).toEqual([{ name: 'dns-errors', kind: 'live', baseline: 0 }]);
  },
  LIMIT_MS,
);
