/** A forwarded port: Belay's client and Kubernetes' own JavaScript client on the twin's wire, and what is refused there. */
import { PassThrough } from 'node:stream';
import { PortForward } from '@kubernetes/client-node';
import { afterEach, expect, test } from 'vitest';
import { connectionFactory } from '../../../activities/clients/kubernetes/connection.ts';
import { createTransport, type Transport } from '../../../activities/clients/kubernetes/transport.ts';
import { createKubernetesPort } from '../../../activities/clients/kubernetes/client.ts';
import { readSync } from '../../../activities/istio/mesh/syncz.ts';
import type { KubernetesPort } from '../../../activities/contract/ports.ts';
import { podPrograms, STALE_ANNOTATION } from '../../../rehearsal/controllers/istio/syncz.ts';
import { CLUSTER } from '../../support/facts.ts';
import { awsToken, configFor, pod, startStandIn } from './harness.ts';
import { makeWorld } from './world.ts';
import type { KubernetesServerOptions } from '../../../rehearsal/kubernetes/http/server-options.ts';

let standIn: Awaited<ReturnType<typeof startStandIn>>;
let transport: Transport;

afterEach(async () => {
  await transport.close();
  await standIn.server.close();
});

/** Two istiods of 1-28 and one of 1-26; `web-0` and `web-1` have proxies of 1-28. */
async function open(change: Partial<KubernetesServerOptions> = {}): Promise<KubernetesPort> {
  const { store, world } = makeWorld();
  standIn = await startStandIn({ store, programs: podPrograms(world), ...change });
  const tokens = { token: async () => awsToken(), renew: () => undefined };
  const { url: endpoint, caData } = standIn.server;
  transport = createTransport(connectionFactory({ ref: CLUSTER }, { endpoint: async () => ({ endpoint, caData }), tokens }));
  for (const [name, revision] of [
    ['istiod-a', '1-28'],
    ['istiod-b', '1-28'],
    ['istiod-old', '1-26'],
  ] as const)
    put(name, 'istio-system', { labels: { app: 'istiod', 'istio.io/rev': revision } });
  for (const name of ['web-0', 'web-1']) put(name, 'shop', { annotations: { 'istio.io/rev': '1-28' } });
  return createKubernetesPort(transport);
}

function put(name: string, namespace: string, metadata: { labels?: Record<string, string>; annotations?: Record<string, string> }): void {
  const object = pod(name, { namespace, ready: true });
  const containers = [{ name: 'istio-proxy', image: 'docker.io/istio/proxyv2:1.28.3' }];
  standIn.store.create('pods', { ...object, metadata: { ...object.metadata, ...metadata }, spec: { ...object.spec, containers } });
  standIn.store.update('pods', name, namespace, (copy) => {
    copy.status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  });
}

test('Belay reads each istiod of a revision, and one proxy that has not acknowledged is stale', async () => {
  const port = await open();
  const proxies = async (revision: string) => {
    const reading = await readSync(port, revision);
    return reading.kind === 'seen' ? reading.proxies.toSorted((a, b) => a.pod.localeCompare(b.pod)) : reading;
  };
  expect(await proxies('1-28')).toEqual([{ pod: 'shop/web-0' }, { pod: 'shop/web-1' }]);
  expect(await proxies('1-26')).toEqual([]);
  standIn.store.update('pods', 'web-1', 'shop', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [STALE_ANNOTATION]: 'true' };
  });
  expect(await proxies('1-28')).toEqual([{ pod: 'shop/web-0' }, { pod: 'shop/web-1', stale: 'clusters' }]);
});

test('Kubernetes’ own client gets the same over the same port', async () => {
  await open();
  const [output, input] = [new PassThrough(), new PassThrough()];
  let heard = '';
  const answered = new Promise<void>((resolve) => {
    output.on('data', (data: Buffer) => {
      heard += data.toString();
      if (heard.includes('[')) resolve();
    });
  });
  const forward = new PortForward(configFor(standIn.server, 'human'));
  await forward.portForward('istio-system', 'istiod-a', [15_014], output, null, input);
  input.write('GET /debug/syncz HTTP/1.0\r\n\r\n');
  await answered;
  expect(heard).toMatch(/^HTTP\/1\.0 200 OK\r\n/);
  expect(heard).toContain('.shop"');
});

test('a long answer comes whole', async () => {
  const body = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => ({ proxy: `p-${index}.shop` })));
  const port = await open({ programs: () => ({ status: 200, body }) });
  expect((await port.getInPod({ namespace: 'istio-system', name: 'istiod-a', port: 15_014 }, '/debug/syncz')).body).toHaveLength(
    body.length,
  );
});

test.each<[title: string, options: Partial<KubernetesServerOptions>, place: [name: string, port: number], why: RegExp]>([
  ['without the right', { rules: () => [] }, ['istiod-a', 15_014], /cannot get resource "pods\/portforward"/],
  ['for a pod that is gone', {}, ['istiod-z', 15_014], /pods "istiod-z" not found/],
  ['where nothing listens', {}, ['istiod-a', 8_443], /connection refused/],
])('%s it fails, and says why', async (_title, options, [name, port], why) => {
  const kubernetes = await open(options);
  await expect(kubernetes.getInPod({ namespace: 'istio-system', name, port }, '/debug/syncz')).rejects.toThrow(why);
});

test('another path of istiod is none of its proxies', async () => {
  const port = await open({ programs: () => ({ status: 404, body: '404 page not found\n' }) });
  expect(await readSync(port, '1-28')).toEqual({ kind: 'blind', why: 'istio-system/istiod-a answered /debug/syncz with 404' });
});
